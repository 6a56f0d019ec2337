// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "braid/core/eval/measures.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/eval/summary.h"
#include "braid/error.h"

namespace braid {
namespace {

bool is_left_out(const JudgedRun& run, std::size_t query, const EvaluationOptions& options) {
    if (options.missing == MissingQueries::kSkip && !run.contains(query)) return true;
    return options.skip_empty && run.pools()[query].count_from(options.measure.relevant_from) == 0;
}

RetrievalCounts count(const JudgedRanking& ranking, Grade relevant_from) {
    RetrievalCounts counts;
    counts.retrieved = ranking.grades.size();
    counts.relevant = ranking.pool.count_from(relevant_from);
    for (const Grade grade : ranking.grades) {
        counts.relevant_retrieved += grade >= relevant_from ? 1 : 0;
        counts.unjudged += grade == kUnjudged ? 1 : 0;
    }
    return counts;
}

}  // namespace

RetrievalCounts& RetrievalCounts::operator+=(const RetrievalCounts& other) {
    retrieved += other.retrieved;
    relevant += other.relevant;
    relevant_retrieved += other.relevant_retrieved;
    unjudged += other.unjudged;
    return *this;
}

double Evaluation::mean(std::size_t measure) const {
    return values[measure].empty() ? 0 : braid::mean(values[measure]);
}

RetrievalCounts Evaluation::total() const {
    RetrievalCounts sum;
    for (const RetrievalCounts& one : counts) sum += one;
    return sum;
}

Evaluation evaluate(const Run& run, const Judgements& judgements,
                    const std::vector<std::string>& measures, const EvaluationOptions& options,
                    const RankingOptions& ranking) {
    const JudgedPools pools(judgements);
    return evaluate(JudgedRun(pools, run, ranking), measures, options);
}

Evaluation evaluate(const JudgedRun& run, const std::vector<std::string>& measures,
                    const EvaluationOptions& options) {
    Evaluation result;
    result.run = run.name();
    std::vector<std::unique_ptr<const Measure>> made;
    for (const std::string& name : measures) {
        made.push_back(make_measure(name, options.measure));
        result.measures.push_back(made.back()->name());
    }
    result.values.resize(made.size());
    result.judged_queries = run.size();
    for (std::size_t i = 0; i < run.size(); ++i) {
        const JudgedRanking ranking = run.ranking(i);
        if (!run.contains(i)) ++result.missing_queries;
        if (ranking.pool.count_from(options.measure.relevant_from) == 0) ++result.empty_queries;
        if (is_left_out(run, i, options)) continue;
        result.queries.push_back(i);
        result.counts.push_back(count(ranking, options.measure.relevant_from));
        for (std::size_t m = 0; m < made.size(); ++m) {
            result.values[m].push_back(made[m]->evaluate(ranking));
        }
    }
    return result;
}

std::vector<double> precision_recall_curve(const JudgedRun& run, const EvaluationOptions& options,
                                           std::size_t points) {
    if (points < 2) throw InvalidArgument("a precision-recall curve has 2 points or more");
    std::vector<double> curve(points, 0.0);
    std::size_t evaluated = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
        if (is_left_out(run, i, options)) continue;
        ++evaluated;
        add_interpolated_precision(run.ranking(i), options.measure.relevant_from, curve);
    }
    for (double& value : curve) value /= static_cast<double>(std::max<std::size_t>(evaluated, 1));
    return curve;
}

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
