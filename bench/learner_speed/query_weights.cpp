// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the weights of one query cost where they follow from its candidates (sser).
//
// Generated: 63 training queries of 150 documents, 45 rankers, three of them good, which is what
// a fold of OHSUMED has; candidates of the same kind. Processor milliseconds a query on one thread,
// the median of 51 queries and the most.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/core/base/random.h"
#include "braid/core/learn/learner.h"
#include "braid/error.h"

namespace braid::bench {
namespace {

constexpr std::size_t kRankers = 45;
constexpr std::size_t kRuns = 51;

braid::TrainingSet generated(std::size_t queries, std::size_t documents) {
    braid::Random random(2008, documents);
    braid::TrainingSet set;
    for (std::size_t k = 0; k < kRankers; ++k) set.rankers.push_back(fmt::format("r{}", k));
    for (std::size_t q = 0; q < queries; ++q) {
        set.queries.push_back(fmt::format("q{}", q));
        for (std::size_t d = 0; d < documents; ++d) {
            const auto grade = static_cast<braid::Grade>(random.uniform() < 0.15  ? 2
                                                         : random.uniform() < 0.2 ? 1
                                                                                  : 0);
            set.grades.push_back(grade);
            const double shared = random.normal();
            for (std::size_t k = 0; k < kRankers; ++k) {
                const double signal = k % 15 == 0 ? 0.5 * grade : 0.1 * grade;
                set.scores.push_back(0.15 * (signal + 0.7 * shared + 0.7 * random.normal()) + 0.5);
            }
        }
        set.query_begin.push_back(set.grades.size());
    }
    return set;
}

void measure() {
    const braid::TrainingSet train = generated(63, 150);
    const auto executor = braid::make_executor(1);
    double before = user_seconds();
    braid::fit_learner("ser", train, {}, *executor);
    fmt::print("ser trains in {:.1f} ms\n", 1e3 * (user_seconds() - before));
    const auto function = std::get<braid::SemiSupervisedFunction>(
        braid::fit_learner("sser", train, {}, *executor).function);
    for (const std::size_t documents : {20U, 150U, 320U, 1000U}) {
        const braid::TrainingSet test = generated(kRuns, documents);
        std::vector<double> times;
        for (std::size_t q = 0; q < kRuns; ++q) {
            before = user_seconds();
            const auto weights = braid::semi_supervised_weights(function, test.query_scores(q));
            times.push_back(1e3 * (user_seconds() - before));
            if (weights.size() != kRankers) throw braid::Error("sser gave too few weights");
        }
        std::sort(times.begin(), times.end());
        fmt::print("{:>5} candidates: {:>8.2f} ms, at most {:>8.2f}\n", documents, times[kRuns / 2],
                   times.back());
    }
}

}  // namespace

void add_query_weights(Program& program) {
    program.add("query-weights", "The weights of one query that follow from its candidates",
                measure);
}

}  // namespace braid::bench
