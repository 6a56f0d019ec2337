// SPDX-License-Identifier: GPL-2.0-or-later

// The corpora that topic models and their peers learn from, in files that every program can read.

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/texts/corpus.h"

namespace braid::bench {
namespace {

struct Options : Arguments {
    std::string texts = required("TEXTS", &texts, kTextsHelp);
    std::size_t documents = required("DOCUMENTS", &documents, kDocumentsHelp);
    std::string to =
        required("TO", &to, "The matrix to write, or the folder for `training` and `held-out`");
};

// Weighted by log-entropy.
void export_weighted(const Options& options) {
    const auto counts = read_or_generate(options.texts, options.documents);
    const auto cf = counts.collection_frequencies();
    const double log_documents = std::log(static_cast<double>(counts.documents()));
    std::vector<double> entropy(cf.size(), 1);
    for (std::size_t i = 0; i < counts.nonzeros(); ++i) {
        const double p = counts.counts[i] / cf[counts.terms[i]];
        entropy[counts.terms[i]] += p * std::log(p) / log_documents;
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < counts.nonzeros(); ++i) {
        values.push_back(std::log1p(counts.counts[i]) * entropy[counts.terms[i]]);
    }
    write_matrix(counts, values, options.to);
    fmt::print("{} documents, {} words, {} entries\n", counts.documents(), counts.vocabulary.size(),
               counts.nonzeros());
}

// Every eleventh document is held out.
void export_counts(const Options& options) {
    constexpr std::size_t kStep = 11;
    const auto all = read_or_generate(options.texts, options.documents, 1);
    const auto [training, held_out] = split_documents(all, kStep, 5);
    std::filesystem::create_directories(options.to);
    write_matrix(training, {}, options.to + "/training");
    write_matrix(held_out, {}, options.to + "/held-out");
    fmt::print("{} documents, {} words, {} entries, {} tokens; {} documents held out\n",
               training.documents(), training.vocabulary.size(), training.nonzeros(),
               training.total(), held_out.documents());
}

}  // namespace

void add_exports(Program& program) {
    program.add("export-weighted", "Write the matrix that svd and its peers read, log-entropy",
                export_weighted);
    program.add("export-counts", "Write what lda, plsi and their peers read; a part is held out",
                export_counts);
}

}  // namespace braid::bench
