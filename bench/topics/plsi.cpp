// SPDX-License-Identifier: GPL-2.0-or-later
// Seconds that one EM iteration of pLSI takes, side by side, through bench/peers/plsi_peers.py,
// with scikit-learn's NMF with the Kullback-Leibler loss, whose multiplicative updates are the same
// steps. The time between iterations as the fit reports them: the quickest and the median, all
// entries, beta 1 and beta .8 (which costs powers).

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"

namespace braid::bench {
namespace {

void measure(const braid::TermDocumentCounts& counts, std::size_t topics, double beta,
             std::size_t iterations, braid::Executor& executor) {
    braid::TopicOptions options;
    options.dimensions = topics;
    options.parameters = {
        {"held-out", 0}, {"beta", beta}, {"iterations", static_cast<double>(iterations)}};
    std::vector<double> at;
    const Stopwatch watch;
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

struct Options : Arguments {
    std::string matrix = required("MATRIX", &matrix, "`training` of what export-counts wrote");
    std::size_t topics = required("K", &topics, "Topics");
    std::size_t threads = option("--threads", &threads, "Threads", 1);
    std::size_t iterations = option("--iterations", &iterations, "Iterations that are timed", 30);
};

void measure_all(const Options& options) {
    const braid::TermDocumentCounts counts = counts_of(read_matrix(options.matrix));
    const auto executor = braid::make_executor(options.threads);
    fmt::print("{} documents, {} words, {} entries\n", counts.documents(), counts.vocabulary.size(),
               counts.nonzeros());
    for (const double beta : {1.0, 0.8}) {
        measure(counts, options.topics, beta, options.iterations, *executor);
    }
}

}  // namespace

void add_plsi(Program& program) {
    program.add("plsi", "Seconds of one EM iteration of pLSI", measure_all);
}

}  // namespace braid::bench
