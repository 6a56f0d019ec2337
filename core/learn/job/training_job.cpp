// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/training_job.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/job/one_pass.h"
#include "braid/core/learn/learner_checks.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/error.h"

namespace braid {
namespace {

// Every parameter and choice as it was used, as one would write it.
std::map<std::string, std::string> written_options(const LearnerInfo& info,
                                                   const LearnerOptions& options) {
    std::map<std::string, std::string> result =
        resolve_choices(info.name, info.choices, options.choices);
    const std::vector<double> values =
        resolve_parameters(info.name, info.parameters, options.parameters);
    for (std::size_t i = 0; i < values.size(); ++i) {
        result[info.parameters[i].name] = fmt::format("{}", values[i]);
    }
    return result;
}

LearningRecord record_of(const TrainingJob& job, const TrainingSet& train,
                         const TrainingResult& result, const Preparation& preparation) {
    LearningRecord record;
    record.measure = job.options.measure;
    record.relevant_from = job.options.judging.relevant_from;
    record.queries = train.queries.size();
    record.documents = train.rows();
    record.judgements = static_cast<std::size_t>(std::count_if(
        train.grades.begin(), train.grades.end(), [](Grade grade) { return grade != kUnjudged; }));
    record.objective_name = result.objective_name;
    record.objective = result.objective;
    record.iterations = result.iterations;
    record.stop_reason = result.stop_reason;
    record.scales = preparation.scales;
    record.curve = result.curve;
    for (CurvePoint& point : record.curve) {
        point.watched.clear();
        point.bound.reset();
    }
    record.state = result.state.values;
    return record;
}

// Scales become part of the weights: of two that are 1e310 apart the smaller weight still has 13
// digits.
constexpr double kLeastScale = 1e-300;

bool are_too_far_apart(double least, double most) { return most / 1e300 / 1e10 > least; }

void check_scales(const std::vector<double>& scales, const TrainingSet& set) {
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    if (!are_too_far_apart(*least, *most)) return;
    const auto name = [&](auto scale) {
        return shown(set.rankers[static_cast<std::size_t>(scale - scales.begin())]);
    };
    throw InvalidArgument(fmt::format(
        "scores of ranker {} spread by {:g} and those of ranker {} by {:g}, expected at most 1e310 "
        "times as much, since weights of raw scores make up for it; normalise the scores (z-score)",
        name(most), *most, name(least), *least));
}

// The scores as a learner gets them, and what scaled them in `trained`.
TrainingSet scaled(const TrainingJob& job, TrainingSet ready, TrainedModel& trained) {
    const bool takes_scales = learners().find(job.learner).takes_scales;
    std::string too_large;
    if (!job.scale && takes_scales) too_large = why_too_large(ready, kLargestLearnedScore);
    if (!job.scale && too_large.empty()) return ready;
    if (!too_large.empty()) {
        trained.result.warnings.push_back(too_large + ": scores were scaled, as by scale");
    }
    std::vector<double>& scales = trained.preparation.scales;
    scales = job.scales.empty() ? ranker_scales(ready) : job.scales;
    check_scales(scales, ready);
    Preparation division;
    division.scales = scales;
    return prepared_set(std::move(ready), division);
}

}  // namespace

bool is_judged(const TrainingSet& set, std::size_t query) {
    const std::span<const Grade> grades = set.query_grades(query);
    if (!set.unpooled.empty() && !set.unpooled[query].empty()) return true;
    return std::any_of(grades.begin(), grades.end(),
                       [](Grade grade) { return grade != kUnjudged; });
}

std::vector<double> ranker_scales(const TrainingSet& set) {
    std::vector<double> scales(set.width(), 0);
    const auto queries = static_cast<double>(set.queries.size());
    for (std::size_t k = 0; k < scales.size(); ++k) {
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            scales[k] += score_deviation(set, q, k) / queries;
        }
        if (!(scales[k] > kLeastScale)) scales[k] = 1;
        double largest = 0;
        for (std::size_t i = k; i < set.scores.size(); i += set.width()) {
            largest = std::max(largest, std::abs(set.scores[i]));
        }
        scales[k] = std::max(scales[k], 2 * (largest / kLargestLearnedScore));
    }
    return scales;
}

TrainingSet with_columns(const TrainingSet& set, const std::vector<std::size_t>& columns) {
    TrainingSet result = with_rankers(set, columns);
    for (std::size_t k = 0; k < columns.size(); ++k) result.rankers[k] = set.rankers[k];
    return result;
}

TrainingSet prepared_set(TrainingSet set, const Preparation& how) {
    if (!how.columns.empty()) set = with_columns(set, how.columns);
    normalise(set, how.normaliser);
    if (how.list_statistics) add_list_statistics(set);
    if (how.scales.empty()) return set;
    const std::size_t width = set.width();
    if (how.scales.size() != width) {
        throw InvalidArgument(fmt::format("{} scales for {} rankers, expected one a ranker",
                                          how.scales.size(), width));
    }
    for (const double scale : how.scales) {
        if (scale > 0 && std::isfinite(scale)) continue;
        throw InvalidArgument(fmt::format("a scale is {}, expected a number above 0", scale));
    }
    for (std::size_t i = 0; i < set.scores.size(); ++i) set.scores[i] /= how.scales[i % width];
    for (std::size_t i = 0; i < set.bounds.size(); ++i) set.bounds[i] /= how.scales[i % width];
    return set;
}

std::vector<double> prepared_weights(const std::vector<double>& weights, const TrainingSet& raw,
                                     const TrainingSet& ready) {
    if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; })) {
        return {};
    }
    const std::vector<double> before = ranker_scales(raw);
    const std::vector<double> after = ranker_scales(ready);
    std::vector<double> result = weights;
    for (std::size_t k = 0; k < result.size(); ++k) result[k] *= before[k] / after[k];
    scale_to_sum_one(result);
    return result;
}

double QueryValues::mean() const {
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

QueryValues measure_queries(const TrainingSet& set, const RankingFunction& function,
                            const std::string& measure, const MeasureOptions& judging,
                            bool skip_empty, Executor& executor) {
    const TrainingMeasure training_measure(set, measure, judging);
    const std::vector<double> counted = training_measure.values(function, executor);
    QueryValues result;
    std::size_t next = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const bool counts = training_measure.counts(q);
        const double value = counts ? counted[next++] : 0;
        if (!counts && (skip_empty || !is_judged(set, q))) continue;
        result.queries.push_back(q);
        result.values.push_back(value);
    }
    return result;
}

std::vector<std::string> reported_measures(const TrainingJob& job) {
    std::vector<std::string> names = {
        make_measure(job.options.measure, job.options.judging)->name()};
    for (const std::string& measure : job.measures) {
        const std::string name = make_measure(measure, job.options.judging)->name();
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

std::map<std::string, double> measure_means(const TrainingJob& job, const TrainingSet& set,
                                            const RankingFunction& function, Executor& executor,
                                            const Progress& progress) {
    std::map<std::string, double> means;
    const std::vector<std::string> measures = reported_measures(job);
    ProgressGate gate(progress, "measuring", "measures", measures.size());
    for (const std::string& measure : measures) {
        means[measure] =
            measure_queries(set, function, measure, job.options.judging, job.skip_empty, executor)
                .mean();
        gate.step(measure);
    }
    return means;
}

namespace {

// Learns from the columns that tune.h's chosen_columns settles on.
TrainedModel train_on_columns(TrainingJob job, const std::vector<RankerSpec>& rankers,
                              const TrainingSet& train, const TrainingSet* validation,
                              Executor& executor, const Progress& progress) {
    const ChosenColumns chosen = chosen_columns(job, train);
    job.variants.reset();
    std::vector<RankerSpec> kept;
    for (std::size_t k = 0; k < chosen.columns.size(); ++k) {
        kept.push_back(rankers[chosen.columns[k]]);
        kept.back().name = rankers[k].name;
        kept.back().weight = rankers[k].weight;
    }
    std::optional<TrainingSet> held_out;
    if (job.held_out != nullptr) held_out = with_columns(*job.held_out, chosen.columns);
    if (held_out) job.held_out = &*held_out;
    std::optional<TrainingSet> judging;
    if (validation != nullptr) judging = with_columns(*validation, chosen.columns);
    TrainedModel trained = train_model(job, std::move(kept), with_columns(train, chosen.columns),
                                       judging ? &*judging : nullptr, executor, progress);
    trained.preparation.columns = chosen.columns;
    trained.result.stop_reason.insert(0, chosen.reason + "; ");
    trained.model.provenance.learning.stop_reason = trained.result.stop_reason;
    return trained;
}

}  // namespace

TrainedModel train_model(const TrainingJob& job, std::vector<RankerSpec> rankers,
                         const TrainingSet& train, const TrainingSet* validation,
                         Executor& executor, const Progress& progress) {
    if (job.variants) {
        return train_on_columns(job, rankers, train, validation, executor, progress);
    }
    const LearnerInfo& info = learners().find(job.learner);
    if (job.scale && !info.takes_scales) throw InvalidArgument(why_not_scaled(info));
    TrainedModel trained;
    trained.preparation.normaliser = job.normaliser;
    trained.preparation.list_statistics = job.list_statistics;
    const TrainingSet ready = scaled(job, prepared_set(train, trained.preparation), trained);
    LearnerOptions options = job.options;
    options.anchor = prepared_weights(job.anchor, train, ready);
    options.validation = nullptr;
    TrainingSet ready_validation;
    if (validation != nullptr) {
        ready_validation = prepared_set(*validation, trained.preparation);
        options.validation = &ready_validation;
    }
    TrainingSet ready_held_out;
    options.watched.clear();
    if (job.follow) options.watched.push_back(&ready);
    if (job.follow && job.held_out != nullptr) {
        ready_held_out = prepared_set(*job.held_out, trained.preparation);
        options.watched.push_back(&ready_held_out);
    }
    std::string chosen;
    if (!job.tuned.empty()) {
        Tuned tuned =
            tune(job.learner, ready, options, job.tuned, job.tuning_parts, executor, progress);
        options = std::move(tuned.options);
        chosen = tuned.reason + "; ";
    }
    const std::vector<std::string> warnings = std::move(trained.result.warnings);
    trained.result = fit_held_back(job.learner, ready, options, job.hold_back, executor, progress);
    trained.result.stop_reason.insert(0, chosen);
    trained.result.warnings.insert(trained.result.warnings.begin(), warnings.begin(),
                                   warnings.end());
    FusionModel& model = trained.model;
    model.rankers = std::move(rankers);
    model.normaliser = job.normaliser;
    const std::vector<double>& scales = trained.preparation.scales;
    const RankingFunction& function = trained.result.function;
    set_model_function(model, scales.empty() ? function : without_scales(function, scales));
    set_first_pass(model, job.anchor);
    model.provenance.learner = job.learner;
    model.provenance.options = written_options(info, options);
    model.provenance.seed = options.seed;
    LearningRecord& record = model.provenance.learning;
    record = record_of(job, train, trained.result, trained.preparation);
    // Without judgements there is nothing to measure by.
    if (record.judgements > 0) {
        record.measures = measure_means(job, ready, trained.result.function, executor, progress);
    }
    if (validation != nullptr) {
        record.validation =
            measure_means(job, ready_validation, trained.result.function, executor, progress);
    }
    braid::validate(model);
    return trained;
}

std::vector<RankerSpec> feature_rankers(std::span<const std::string> names) {
    std::vector<RankerSpec> rankers;
    for (const std::string& name : names) rankers.push_back({.ranker = "feature", .name = name});
    return rankers;
}

LearnedModel learn_model(const TrainingJob& job, std::vector<RankerSpec> rankers,
                         const TrainingSet& set, const TrainingSet* validation, Executor& executor,
                         const Progress& progress) {
    TrainedModel trained =
        train_model(job, std::move(rankers), set, validation, executor, progress);
    return {std::move(trained.model), std::move(trained.result.warnings)};
}

}  // namespace braid
