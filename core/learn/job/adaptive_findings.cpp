// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/learn/job/measured_parts.h"

namespace braid {
namespace {

using Kind = MeasuredSystem::Kind;

// Means over splits may differ by this where the values do not.
constexpr double kRounding = 1e-12;

// The same job by another learner, with what of the parameters and choices that has, too.
TrainingJob counterpart_job(const TrainingJob& job, const LearnerInfo& fixed) {
    TrainingJob result = job;
    result.learner = fixed.name;
    result.follow = false;
    result.options.state.reset();
    const auto has = [](const auto& entries, const std::string& name) {
        for (const auto& entry : entries) {
            if (entry.name == name) return true;
        }
        return false;
    };
    std::erase_if(result.options.parameters,
                  [&](const auto& entry) { return !has(fixed.parameters, entry.first); });
    std::erase_if(result.options.choices,
                  [&](const auto& entry) { return !has(fixed.choices, entry.first); });
    return result;
}

struct Spread {
    double mean = 0;
    double deviation = 0;
};

Spread spread_of(const TrainingSet& set, const std::vector<std::size_t>& queries,
                 std::size_t feature) {
    const std::size_t width = set.query_feature_names.size();
    const auto count = static_cast<double>(queries.size());
    Spread spread;
    for (const std::size_t q : queries) {
        spread.mean += set.query_features[q * width + feature] / count;
    }
    for (const std::size_t q : queries) {
        const double step = set.query_features[q * width + feature] - spread.mean;
        spread.deviation += step * step / count;
    }
    spread.deviation = std::sqrt(spread.deviation);
    return spread;
}

std::vector<AdaptiveFindings::Feature> features_of(const TrainingSet& set,
                                                   const std::vector<std::size_t>& queries,
                                                   const std::vector<double>& gains) {
    std::vector<std::size_t> helped;
    std::vector<std::size_t> harmed;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        if (gains[i] > 0) helped.push_back(queries[i]);
        if (gains[i] < 0) harmed.push_back(queries[i]);
    }
    std::vector<AdaptiveFindings::Feature> features;
    if (helped.empty() || harmed.empty()) return features;
    for (std::size_t f = 0; f < set.query_feature_names.size(); ++f) {
        const Spread all = spread_of(set, queries, f);
        if (!(all.deviation > 0)) continue;
        const auto standard = [&](const std::vector<std::size_t>& some) {
            return (spread_of(set, some, f).mean - all.mean) / all.deviation;
        };
        features.push_back({set.query_feature_names[f], standard(helped), standard(harmed)});
    }
    return features;
}

}  // namespace

void find_adaptive(const FindingsInput& input, const MeasuredParts& learned,
                   const std::vector<std::size_t>& queries, const TrainingSet& whole,
                   TrainingFindings& findings, Executor& executor, const Progress& progress) {
    const std::string& name = learners().find(input.job.learner).fixed_counterpart;
    if (name.empty()) return;
    const TrainingJob job = counterpart_job(input.job, learners().find(name));
    const TrainingSet& set = input.test != nullptr ? *input.test : input.train;
    const auto measure = [&](const MeasuredParts& parts) {
        return measured_system(Kind::kFixed, name, job, parts, queries, true, findings.grade_pairs);
    };
    MeasuredSystem fixed;
    if (input.folds != nullptr) {
        fixed = measure(MeasuredParts::of_folds(
            job, set,
            cross_validate(job, input.train, input.validation, input.folding, executor, progress),
            executor));
    } else {
        fixed =
            measure(MeasuredParts::of_set(job, set,
                                          train_model(job, input.trained.model.rankers, input.train,
                                                      input.validation, executor, progress),
                                          executor));
    }
    AdaptiveFindings found;
    found.fixed_learner = name;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const double value = findings.systems[0].values[i];
        if (std::abs(fixed.values[i] - value) < kRounding) fixed.values[i] = value;
    }
    const QueryValues mine = {queries, findings.systems[0].values};
    const QueryValues other = {queries, fixed.values};
    found.gain =
        compare_values(findings.measures[0], mine, {name}, {other}, input.folding.baselines)[0];
    found.fits = learned.size();
    found.kept_fixed = learned.linear();
    found.helps = findings.part != TrainingFindings::Part::kTraining && found.gain.difference > 0 &&
                  found.gain.p < 0.05;
    found.weights = learned.weights(queries);
    std::vector<double> gains;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        gains.push_back(mine.values[i] - other.values[i]);
    }
    found.features = features_of(whole, queries, gains);
    findings.systems.push_back(std::move(fixed));
    findings.adaptive = std::move(found);
}

}  // namespace braid
