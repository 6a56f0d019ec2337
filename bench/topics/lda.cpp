// SPDX-License-Identifier: GPL-2.0-or-later
// LDA side by side, through bench/peers/lda_peers.py, with scikit-learn and gensim: tokens a
// second, and how well each tool's topics predict the same held-out documents, by one evaluator.
//
// A token is an occurrence of a word in the training documents; tokens a second count every sweep
// (iteration, pass) of the whole fit. Perplexity: docs/algorithms/lda.md (11). A peer's model is a
// file of words and topics (64 bits each), one alpha a topic (double), p(w|z) a row a word
// (double).

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

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/held_out.h"

namespace braid::bench {
namespace {

using braid::TermDocumentCounts;

double perplexity(const std::string& folder, const braid::FloatMatrix& word_given_topic,
                  const std::vector<float>& alpha) {
    const TermDocumentCounts held_out = counts_of(read_matrix(folder + "/held-out"));
    const auto executor = braid::make_executor(1);
    return braid::document_completion(word_given_topic, alpha, held_out, *executor).perplexity;
}

void run_braid(const std::string& folder, std::size_t threads, const braid::LdaOptions& options) {
    const TermDocumentCounts training = counts_of(read_matrix(folder + "/training"));
    const auto executor = braid::make_executor(threads);
    const Stopwatch watch;
    const braid::LdaModel model = braid::fit_lda(training, options, *executor);
    const double seconds = watch.seconds();
    const double processor = watch.processor_seconds();
    const double tokens = training.total() * static_cast<double>(options.sweeps);
    fmt::print("{:<28} {:8.2f} s {:8.2f} s processor {:8.3f} million tokens/s  perplexity {:.1f}\n",
               fmt::format("braid, {} sweeps ({})", options.sweeps, threads), seconds, processor,
               tokens / seconds / 1e6, perplexity(folder, model.word_given_topic, model.alpha));
}

struct ScoreOptions : Arguments {
    std::string folder = required("FOLDER", &folder, "What export-counts wrote");
    std::string model = required("MODEL", &model, "What the peer wrote");
};

void score(const ScoreOptions& options) {
    std::ifstream in(options.model, std::ios::binary);
    if (!in) throw braid::Error(options.model + ": can't be read");
    const auto size = read_numbers<std::uint64_t>(in, 2);
    const auto alpha = read_numbers<double>(in, size[1]);
    const auto values = read_numbers<double>(in, size[0] * size[1]);
    braid::FloatMatrix words(size[0], size[1]);
    words.values.assign(values.begin(), values.end());
    fmt::print("{:.1f}\n", perplexity(options.folder, words, {alpha.begin(), alpha.end()}));
}

struct Options : Arguments {
    std::string folder = required("FOLDER", &folder, "What export-counts wrote");
    std::size_t topics = required("K", &topics, "Topics");
    std::size_t sweeps = required("SWEEPS", &sweeps, "Sweeps over the training documents");
    std::size_t threads = option("--threads", &threads, "Threads", 1);
    double alpha =
        option("--alpha", &alpha, "A topic's prior; 0: 10 / K", braid::LdaOptions{}.alpha);
    double eta = option("--eta", &eta, "A word's prior", braid::LdaOptions{}.eta);
    std::size_t annealing =
        option("--annealing", &annealing, "Sweeps of annealing", braid::LdaOptions{}.annealing);
    double annealing_eta = option("--annealing-eta", &annealing_eta, "Where eta begins",
                                  braid::LdaOptions{}.annealing_eta);
};

void measure(const Options& options) {
    braid::LdaOptions lda;
    lda.topics = options.topics;
    lda.sweeps = options.sweeps;
    lda.alpha = options.alpha;
    lda.eta = options.eta;
    lda.annealing = options.annealing;
    lda.annealing_eta = options.annealing_eta;
    run_braid(options.folder, options.threads, lda);
}

}  // namespace

void add_lda(Program& program) {
    program.add("lda", "Tokens a second of LDA, and perplexity", measure);
    program.add("lda-score", "The perplexity of a peer's model", score);
}

}  // namespace braid::bench
