// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/comparison.h"

#include <cmath>
#include <limits>

#include "braid/core/base/error.h"
#include "braid/core/eval/multiple.h"
#include "braid/core/eval/summary.h"

namespace braid {
namespace {

constexpr double kRounding = 1e-12;

// Both lists of queries ascend: one walk pairs them.
void pair_queries(const Evaluation& baseline, const Evaluation& run, std::size_t measure,
                  Comparison& result) {
    std::size_t b = 0;
    for (std::size_t r = 0; r < run.queries.size(); ++r) {
        while (b < baseline.queries.size() && baseline.queries[b] < run.queries[r]) ++b;
        if (b == baseline.queries.size()) break;
        if (baseline.queries[b] != run.queries[r]) continue;
        const double difference = run.values[measure][r] - baseline.values[measure][b];
        result.queries.push_back(run.queries[r]);
        result.differences.push_back(std::abs(difference) < kRounding ? 0 : difference);
    }
}

Comparison compare(const Evaluation& baseline, const Evaluation& run, std::size_t measure,
                   const PairedTestInfo& test, std::uint64_t seed) {
    if (measure >= run.measures.size() || measure >= baseline.measures.size() ||
        run.measures[measure] != baseline.measures[measure]) {
        throw InvalidArgument("the runs to compare were evaluated by different measures");
    }
    Comparison result;
    pair_queries(baseline, run, measure, result);
    if (result.differences.empty()) return result;
    for (const double difference : result.differences) {
        result.better += difference > 0 ? 1 : 0;
        result.worse += difference < 0 ? 1 : 0;
    }
    result.mean_difference = mean(result.differences);
    result.interval = mean_interval(result.differences);
    result.effect = effect_size(result.differences);
    result.test = test.run(result.differences, seed);
    return result;
}

}  // namespace

std::vector<Comparison> compare_runs(const Evaluation& baseline, std::span<const Evaluation> runs,
                                     std::size_t measure, const ComparisonOptions& options) {
    const PairedTestInfo& test = paired_tests().find(options.test);
    std::vector<Comparison> comparisons;
    std::vector<double> p_values;
    for (const Evaluation& run : runs) {
        comparisons.push_back(compare(baseline, run, measure, test, options.seed));
        p_values.push_back(comparisons.back().test.p);
    }
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < comparisons.size(); ++i) comparisons[i].p_adjusted = adjusted[i];
    return comparisons;
}

}  // namespace braid
