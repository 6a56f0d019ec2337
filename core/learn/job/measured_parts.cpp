// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/measured_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "braid/core/eval/measures.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"

namespace braid {
namespace {

constexpr std::size_t kRecallPoints = 11;

}  // namespace

MeasuredParts MeasuredParts::of_folds(const TrainingJob& job, const TrainingSet& set,
                                      const CrossValidation& folds, Executor& executor) {
    MeasuredParts parts(job, set.queries.size(), executor);
    for (const FoldResult& fold : folds.folds) {
        parts.add(prepared_set(subset(set, fold.queries), fold.preparation), fold.queries,
                  fold.function);
    }
    return parts;
}

MeasuredParts MeasuredParts::of_set(const TrainingJob& job, const TrainingSet& set,
                                    const TrainedModel& trained, Executor& executor) {
    MeasuredParts parts(job, set.queries.size(), executor);
    std::vector<std::size_t> places(set.queries.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    parts.add(prepared_set(set, trained.preparation), std::move(places), trained.result.function);
    return parts;
}

QueryValues MeasuredParts::values(const std::string& measure) const {
    std::vector<double> sums(count_, 0);
    std::vector<std::size_t> counts(count_, 0);
    for (const Part& part : parts_) {
        const QueryValues values = measure_queries(
            part.set, part.function, measure, job_.options.judging, job_.skip_empty, executor_);
        for (std::size_t i = 0; i < values.queries.size(); ++i) {
            const std::size_t place = part.places[values.queries[i]];
            sums[place] += values.values[i];
            ++counts[place];
        }
    }
    QueryValues result;
    for (std::size_t q = 0; q < count_; ++q) {
        if (counts[q] == 0) continue;
        result.queries.push_back(q);
        result.values.push_back(sums[q] / static_cast<double>(counts[q]));
    }
    return result;
}

std::vector<double> MeasuredParts::precision(const std::vector<std::size_t>& queries) const {
    std::vector<double> sums(kRecallPoints, 0);
    std::size_t count = 0;
    std::vector<double> scores;
    for (const Part& part : parts_) {
        const TrainingMeasure measure(part.set, "map", job_.options.judging);
        const PreparedFunction function(part.function);
        for (std::size_t q = 0; q < part.places.size(); ++q) {
            if (!std::binary_search(queries.begin(), queries.end(), part.places[q])) continue;
            ++count;
            scores.resize(part.set.pool_size(q));
            function.score(part.set, q, scores);
            const std::vector<Grade> ranked = measure.ranked_grades(q, scores);
            add_interpolated_precision({ranked, measure.pool(q)}, measure.relevant_from(), sums);
        }
    }
    for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(count, 1));
    return sums;
}

std::vector<std::vector<double>> MeasuredParts::weights(
    const std::vector<std::size_t>& queries) const {
    std::vector<std::vector<double>> result(queries.size());
    for (const Part& part : parts_) {
        for (std::size_t q = 0; q < part.places.size(); ++q) {
            const auto found = std::lower_bound(queries.begin(), queries.end(), part.places[q]);
            if (found == queries.end() || *found != part.places[q]) continue;
            result[static_cast<std::size_t>(found - queries.begin())] =
                score_parts(part.function, part.set, q).weights;
        }
    }
    return result;
}

std::size_t MeasuredParts::linear() const {
    return static_cast<std::size_t>(
        std::count_if(parts_.begin(), parts_.end(),
                      [](const Part& part) { return fixed_weights(part.function) != nullptr; }));
}

MeasuredSystem measured_system(MeasuredSystem::Kind kind, const std::string& name,
                               const TrainingJob& job, const MeasuredParts& parts,
                               const std::vector<std::size_t>& queries, bool has_precision,
                               const std::vector<GradePair>& pairs) {
    MeasuredSystem system{.kind = kind, .name = name, .means = {}, .values = {}};
    for (const std::string& measure : reported_measures(job)) {
        QueryValues values = parts.values(measure);
        system.means.push_back(values.mean());
        if (system.means.size() == 1) system.values = std::move(values.values);
    }
    if (has_precision) {
        system.precision = parts.precision(queries);
        system.pair_errors = parts.pair_errors(queries, pairs);
    }
    return system;
}

}  // namespace braid
