// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/evaluation.h"

#include <algorithm>

#include "braid/core/base/error.h"
#include "braid/core/eval/interpolated_precision.h"
#include "braid/core/eval/summary.h"

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

}  // namespace braid
