// SPDX-License-Identifier: GPL-2.0-or-later

// Seconds that one EM iteration of pLSI takes, side by side, through bench/peers/plsi_peers.py,
// with scikit-learn's NMF with the Kullback-Leibler loss, whose multiplicative updates are the same
// steps.
//
//   bench/plsi MATRIX K [THREADS] [ITERATIONS]
//
// MATRIX: `training` of `bench/lda export`. The time between iterations as the fit reports them:
// the quickest and the median, all entries, beta 1 and beta .8 (which costs powers).

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"

namespace {

void measure(const braid::TermDocumentCounts& counts, std::size_t topics, double beta,
             std::size_t iterations, braid::Executor& executor) {
    braid::TopicOptions options;
    options.dimensions = topics;
    options.parameters = {
        {"held-out", 0}, {"beta", beta}, {"iterations", static_cast<double>(iterations)}};
    std::vector<double> at;
    const braid::bench::Stopwatch watch;
    const auto model = braid::fit_topic_model("plsi", counts, options, executor,
                                              [&](const braid::ProgressReport&) {
                                                  at.push_back(watch.seconds());
                                                  return true;
                                              });
    std::vector<double> steps;
    for (std::size_t i = 1; i < at.size(); ++i) steps.push_back(at[i] - at[i - 1]);
    std::sort(steps.begin(), steps.end());
    fmt::print("{:<20} quickest {:.4f} s, median {:.4f} s an iteration\n",
               fmt::format("braid, beta {} ({})", beta, executor.threads()), steps.front(),
               steps[steps.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: plsi MATRIX K [THREADS] [ITERATIONS]\n", stderr);
        return 2;
    }
    try {
        const auto counts = braid::bench::read_matrix(argv[1]);
        const auto executor = braid::make_executor(argc > 3 ? std::stoul(argv[3]) : 1);
        const std::size_t iterations = argc > 4 ? std::stoul(argv[4]) : 30;
        fmt::print("{} documents, {} words, {} entries\n", counts.documents(),
                   counts.vocabulary.size(), counts.nonzeros());
        for (const double beta : {1.0, 0.8}) {
            measure(counts, std::stoul(argv[2]), beta, iterations, *executor);
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "plsi: {}\n", error.what());
        return 1;
    }
}
