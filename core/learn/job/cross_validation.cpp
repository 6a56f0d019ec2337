// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/eval/evaluation.h"
#include "braid/core/eval/folds.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/error.h"

namespace braid {
namespace {

// As evaluations of runs have them.
Evaluation evaluation_of(const std::string& name, const std::string& measure,
                         const QueryValues& values) {
    Evaluation evaluation;
    evaluation.run = name;
    evaluation.measures = {measure};
    evaluation.queries = values.queries;
    evaluation.values = {values.values};
    return evaluation;
}

LinearFunction uniform_function(std::size_t width) {
    return {std::vector<double>(width, 1 / static_cast<double>(width))};
}

LinearFunction single_function(std::size_t width, std::size_t ranker) {
    std::vector<double> weights(width, 0);
    weights[ranker] = 1;
    return {weights};
}

Progress in_fold(const Progress& progress, std::size_t number, std::size_t count) {
    return within(progress, fmt::format("fold {} of {}", number, count));
}

// Adds up each query's values over splits.
class ValueSums {
  public:
    explicit ValueSums(std::size_t queries) : sums_(queries, 0), counts_(queries, 0) {}

    // `places` are those of the tested queries in the whole set.
    void add(const QueryValues& values, const std::vector<std::size_t>& places) {
        for (std::size_t i = 0; i < values.queries.size(); ++i) {
            sums_[places[values.queries[i]]] += values.values[i];
            ++counts_[places[values.queries[i]]];
        }
    }

    QueryValues means() const {
        QueryValues result;
        for (std::size_t q = 0; q < sums_.size(); ++q) {
            if (counts_[q] == 0) continue;
            result.queries.push_back(q);
            result.values.push_back(sums_[q] / static_cast<double>(counts_[q]));
        }
        return result;
    }

  private:
    std::vector<double> sums_;
    std::vector<std::size_t> counts_;
};

class Validator {
  public:
    Validator(const TrainingJob& job, const TrainingSet& set, const TrainingSet* validation,
              Executor& executor)
        : job_(job),
          set_(set),
          validation_(validation),
          executor_(executor),
          measures_(reported_measures(job)),
          sums_(measures_.size(), ValueSums(set.queries.size())) {}

    void run(const Fold& fold, FoldResult result, const Progress& progress) {
        const TrainingSet train = subset(set_, fold.train);
        const TrainingSet raw_test = subset(set_, fold.test);
        TrainedModel trained = learn(train, raw_test, result, progress);
        const TrainingSet test = prepared_set(raw_test, trained.preparation);
        for (std::size_t m = 0; m < measures_.size(); ++m) {
            const QueryValues values =
                measure_queries(test, trained.result.function, measures_[m], job_.options.judging,
                                job_.skip_empty, executor_);
            sums_[m].add(values, fold.test);
            if (m == 0) result.test = values.mean();
        }
        result.train_queries = fold.train.size();
        result.test_queries = fold.test.size();
        result.train = trained.model.provenance.learning.measures.at(measures_[0]);
        result.iterations = trained.result.iterations;
        result.stop_reason = trained.result.stop_reason;
        result.queries = fold.test;
        result.function = std::move(trained.result.function);
        result.preparation = std::move(trained.preparation);
        result.objective_name = std::move(trained.result.objective_name);
        result.curve = std::move(trained.result.curve);
        folds_.push_back(std::move(result));
    }

    CrossValidation take() {
        CrossValidation result;
        result.folds = std::move(folds_);
        result.values = sums_[0].means();
        for (std::size_t m = 0; m < measures_.size(); ++m) {
            result.measures[measures_[m]] = sums_[m].means().mean();
        }
        return result;
    }

  private:
    TrainedModel learn(const TrainingSet& train, const TrainingSet& test, const FoldResult& fold,
                       const Progress& progress) {
        TrainingJob job = job_;
        job.held_out = &test;
        try {
            return train_model(job, feature_rankers(train.rankers), train, validation_, executor_,
                               progress);
        } catch (const InvalidArgument& error) {
            throw InvalidArgument(
                fmt::format("fold {} of seed {}: {}", fold.fold + 1, fold.seed, error.what()));
        }
    }

    const TrainingJob& job_;
    const TrainingSet& set_;
    const TrainingSet* validation_;
    Executor& executor_;
    std::vector<std::string> measures_;
    std::vector<ValueSums> sums_;
    std::vector<FoldResult> folds_;
};

}  // namespace

std::vector<BaselineComparison> compare_values(const std::string& measure,
                                               const QueryValues& learned,
                                               const std::vector<std::string>& names,
                                               const std::vector<QueryValues>& baselines,
                                               const BaselineOptions& options) {
    std::vector<Evaluation> evaluations;
    for (std::size_t i = 0; i < names.size(); ++i) {
        evaluations.push_back(evaluation_of(names[i], measure, baselines[i]));
    }
    const std::vector<Comparison> compared =
        compare_runs(evaluation_of("learned", measure, learned), evaluations, 0,
                     {.test = options.test, .seed = options.seed});
    std::vector<BaselineComparison> result;
    for (std::size_t i = 0; i < names.size(); ++i) {
        // These are baseline minus learned.
        const Comparison& comparison = compared[i];
        result.push_back({.name = names[i],
                          .mean = baselines[i].mean(),
                          .difference = -comparison.mean_difference,
                          .interval = {-comparison.interval.high, -comparison.interval.low},
                          .better = comparison.worse,
                          .worse = comparison.better,
                          .p = comparison.test.p,
                          .p_adjusted = comparison.p_adjusted});
    }
    return result;
}

std::vector<BaselineComparison> compare_with_baselines(
    const TrainingJob& job, const TrainingSet& set, const std::vector<double>& anchor,
    const QueryValues& learned, const BaselineOptions& options, Executor& executor) {
    const std::string measure = reported_measures(job)[0];
    std::vector<std::string> names;
    std::vector<QueryValues> values;
    const auto add = [&](const std::string& name, const LinearFunction& function) {
        names.push_back(name);
        values.push_back(
            measure_queries(set, function, measure, job.options.judging, job.skip_empty, executor));
    };
    if (!anchor.empty()) add("as before", {anchor});
    add("uniform", uniform_function(set.width()));
    for (std::size_t k = 0; k < set.width(); ++k) {
        add(set.rankers[k], single_function(set.width(), k));
    }
    return compare_values(measure, learned, names, values, options);
}

namespace {

// The variant with the greatest sum of values over the queries that `counts` tells; the first of
// equals.
std::size_t best_variant(const References& references,
                         const std::function<bool(std::size_t)>& counts) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t v = 0; v < references.variants.size(); ++v) {
        const std::vector<double>& values = references.variants[v].values;
        double sum = 0;
        for (std::size_t q = 0; q < values.size(); ++q) sum += counts(q) ? values[q] : 0;
        if (sum > most) {
            most = sum;
            best = v;
        }
    }
    return best;
}

// The normal quantiles of kInstallLevel, on two sides, and of a power of 80 %.
constexpr double kQuantiles = 1.6449 + 0.8416;
constexpr double kMostQueriesNamed = 1e6;

// `rankings` have values of all queries of the set.
ReferenceComparison compare_rankings(const TrainingJob& job,
                                     const std::vector<ReferenceRanking>& rankings,
                                     const QueryValues& learned, const BaselineOptions& options) {
    ReferenceComparison found;
    found.queries = learned.queries.size();
    std::vector<std::string> names;
    std::vector<QueryValues> values;
    for (const ReferenceRanking& ranking : rankings) {
        names.push_back(ranking.name);
        values.push_back({.queries = learned.queries, .values = {}});
        for (const std::size_t q : learned.queries) {
            values.back().values.push_back(ranking.values[q]);
        }
        if (values.back().mean() > values[found.best].mean()) found.best = values.size() - 1;
    }
    found.rankings = compare_values(reported_measures(job)[0], learned, names, values, options);
    const BaselineComparison& best = found.rankings[found.best];
    found.better = best.difference > 0 && best.p < kInstallLevel;
    std::vector<double> differences;
    for (std::size_t i = 0; i < learned.values.size(); ++i) {
        differences.push_back(learned.values[i] - values[found.best].values[i]);
    }
    const double spread = differences.size() > 1 ? standard_deviation(differences) : 0;
    found.detectable = kQuantiles * spread / std::sqrt(static_cast<double>(found.queries));
    if (best.difference > 0) {
        const double needed = kQuantiles * spread / best.difference;
        found.queries_needed =
            static_cast<std::size_t>(std::min(std::ceil(needed * needed), kMostQueriesNamed));
    }
    return found;
}

}  // namespace

ReferenceComparison compare_with_references(const TrainingJob& job, const References& references,
                                            const CrossValidation& folds,
                                            const BaselineOptions& options) {
    std::vector<ReferenceRanking> rankings = references.fixed;
    const std::size_t queries = rankings.front().values.size();
    ReferenceRanking tuned{"bm25 tuned", std::vector<double>(queries, 0)};
    std::vector<std::size_t> tests(queries, 0);
    for (const FoldResult& fold : folds.folds) {
        std::vector<bool> is_tested(queries, false);
        for (const std::size_t q : fold.queries) is_tested[q] = true;
        const std::size_t chosen =
            best_variant(references, [&](std::size_t q) { return !is_tested[q]; });
        for (const std::size_t q : fold.queries) {
            tuned.values[q] += references.variants[chosen].values[q];
            ++tests[q];
        }
    }
    for (std::size_t q = 0; q < queries; ++q) {
        if (tests[q] > 0) tuned.values[q] /= static_cast<double>(tests[q]);
    }
    rankings.push_back(std::move(tuned));
    return compare_rankings(job, rankings, folds.values, options);
}

ReferenceComparison compare_with_references(const TrainingJob& job, const References& trained,
                                            const References& tested, const QueryValues& learned,
                                            const BaselineOptions& options) {
    std::vector<ReferenceRanking> rankings = tested.fixed;
    const std::size_t chosen = best_variant(trained, [](std::size_t) { return true; });
    rankings.push_back({"bm25 tuned", tested.variants[chosen].values});
    return compare_rankings(job, rankings, learned, options);
}

CrossValidation cross_validate(const TrainingJob& job, const TrainingSet& set,
                               const TrainingSet* validation, const CrossValidationOptions& options,
                               Executor& executor, const Progress& progress) {
    validate_shape(set);
    if (options.seeds.empty()) {
        throw InvalidArgument("cross-validation: no seed, expected one for each split");
    }
    Validator validator(job, set, validation, executor);
    const std::size_t count = options.seeds.size() * options.folds;
    std::size_t number = 0;
    for (const std::uint64_t seed : options.seeds) {
        const std::vector<Fold> folds = cross_validation_folds(set.queries, options.folds, seed);
        for (std::size_t f = 0; f < folds.size(); ++f) {
            validator.run(folds[f], {.seed = seed, .fold = f}, in_fold(progress, ++number, count));
        }
    }
    CrossValidation result = validator.take();
    std::vector<std::size_t> first(job.variants ? job.variants->first : set.width());
    std::iota(first.begin(), first.end(), std::size_t{0});
    const TrainingSet raw = with_columns(set, first);
    TrainingSet ready = prepared_set(raw, {.normaliser = job.normaliser});
    if (job.scale) {
        const std::vector<double> scales = ranker_scales(ready);
        ready = prepared_set(std::move(ready), {.scales = scales});
    }
    result.baselines = compare_with_baselines(job, ready, prepared_weights(job.anchor, raw, ready),
                                              result.values, options.baselines, executor);
    return result;
}

}  // namespace braid
