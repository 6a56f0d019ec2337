// SPDX-License-Identifier: GPL-2.0-or-later

// LDA side by side, through bench/peers/lda_peers.py, with scikit-learn and gensim: tokens a
// second, and how well each tool's topics predict the same held out documents, by one evaluator.
//
//   bench/lda export DESCRIPTIONS DOCUMENTS FOLDER    writes FOLDER/training and FOLDER/held-out
//   bench/lda braid FOLDER K SWEEPS [THREADS] [SETTING=VALUE ..]    learns, and scores itself
//   bench/lda score FOLDER MODEL                      the perplexity of what a peer wrote to MODEL
//
// DESCRIPTIONS is as bench/texts/corpus.h says; every eleventh document is held out. FOLDER's
// files are matrices of counts. MODEL: words and topics (64 bits each), one alpha a topic (double),
// p(w|z) a row a word (double). Settings: alpha, eta, annealing, annealing-eta, as lda's
// parameters. A token is an occurrence of a word in the training documents; tokens a second count
// every sweep (iteration, pass) of the whole fit. Perplexity: docs/algorithms/lda.md (11).

#include "braid/core/topics/lda.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/held_out.h"

namespace {

using braid::TermDocumentCounts;

void export_corpus(const std::string& from, std::size_t documents, const std::string& folder) {
    constexpr std::size_t kStep = 11;
    const auto all = braid::bench::read_or_generate(from, documents, 1);
    const auto [training, held_out] = braid::bench::split_documents(all, kStep, 5);
    std::filesystem::create_directories(folder);
    braid::bench::write_matrix(training, {}, folder + "/training");
    braid::bench::write_matrix(held_out, {}, folder + "/held-out");
    fmt::print("{} documents, {} words, {} entries, {} tokens; {} documents held out\n",
               training.documents(), training.vocabulary.size(), training.nonzeros(),
               training.total(), held_out.documents());
}

double perplexity(const std::string& folder, const braid::FloatMatrix& word_given_topic,
                  const std::vector<float>& alpha) {
    const TermDocumentCounts held_out = braid::bench::read_matrix(folder + "/held-out");
    const auto executor = braid::make_executor(1);
    return braid::document_completion(word_given_topic, alpha, held_out, *executor).perplexity;
}

void set(braid::LdaOptions& options, const std::string& setting) {
    const std::size_t at = setting.find('=');
    const std::string name = setting.substr(0, at);
    const double value = at == std::string::npos ? std::nan("") : std::stod(setting.substr(at + 1));
    if (name == "alpha") {
        options.alpha = value;
    } else if (name == "eta") {
        options.eta = value;
    } else if (name == "annealing") {
        options.annealing = static_cast<std::size_t>(value);
    } else if (name == "annealing-eta") {
        options.annealing_eta = value;
    } else {
        throw std::runtime_error(setting + ": expected alpha, eta, annealing or annealing-eta");
    }
}

void run_braid(const std::string& folder, std::size_t threads, const braid::LdaOptions& options) {
    const TermDocumentCounts training = braid::bench::read_matrix(folder + "/training");
    const auto executor = braid::make_executor(threads);
    const braid::bench::Stopwatch watch;
    const braid::LdaModel model = braid::fit_lda(training, options, *executor);
    const double seconds = watch.seconds();
    const double processor = watch.processor_seconds();
    const double tokens = training.total() * static_cast<double>(options.sweeps);
    fmt::print("{:<28} {:8.2f} s {:8.2f} s processor {:8.3f} million tokens/s  perplexity {:.1f}\n",
               fmt::format("braid, {} sweeps ({})", options.sweeps, threads), seconds, processor,
               tokens / seconds / 1e6, perplexity(folder, model.word_given_topic, model.alpha));
}

template <typename T>
std::vector<T> read_numbers(std::ifstream& in, std::size_t count) {
    std::vector<T> values(count);
    in.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(T)));
    if (!in) throw std::runtime_error("the model is cut short");
    return values;
}

void score(const std::string& folder, const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error(file + " can't be read");
    const auto size = read_numbers<std::uint64_t>(in, 2);
    const auto alpha = read_numbers<double>(in, size[1]);
    const auto values = read_numbers<double>(in, size[0] * size[1]);
    braid::FloatMatrix words(size[0], size[1]);
    words.values.assign(values.begin(), values.end());
    fmt::print("{:.1f}\n", perplexity(folder, words, {alpha.begin(), alpha.end()}));
}

int run(const std::vector<std::string>& arguments) {
    const std::string command = arguments.empty() ? "" : arguments[0];
    if (command == "export" && arguments.size() == 4) {
        export_corpus(arguments[1], std::stoul(arguments[2]), arguments[3]);
        return 0;
    }
    if (command == "braid" && arguments.size() >= 4) {
        braid::LdaOptions options;
        options.topics = std::stoul(arguments[2]);
        options.sweeps = std::stoul(arguments[3]);
        for (std::size_t i = 5; i < arguments.size(); ++i) set(options, arguments[i]);
        run_braid(arguments[1], arguments.size() > 4 ? std::stoul(arguments[4]) : 1, options);
        return 0;
    }
    if (command == "score" && arguments.size() == 3) {
        score(arguments[1], arguments[2]);
        return 0;
    }
    std::fputs(
        "usage: lda export DESCRIPTIONS DOCUMENTS FOLDER | "
        "braid FOLDER K SWEEPS [THREADS] [SETTING=VALUE ..] | score FOLDER MODEL\n",
        stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "lda: {}\n", error.what());
        return 1;
    }
}
