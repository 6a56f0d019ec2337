// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/tuning.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/base/text.h"
#include "braid/core/eval/folds.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr std::size_t kMostCombinations = 1000;

const ParameterInfo* find_parameter(const LearnerInfo& info, const std::string& name) {
    const auto found = std::find_if(info.parameters.begin(), info.parameters.end(),
                                    [&](const ParameterInfo& each) { return each.name == name; });
    return found == info.parameters.end() ? nullptr : &*found;
}

std::string value_of(const LearnerOptions& options, const std::string& name) {
    const auto word = options.choices.find(name);
    return word != options.choices.end() ? word->second
                                         : fmt::format("{:g}", options.parameters.at(name));
}

// "c=10 costs=even"
std::string settings_in_words(const LearnerOptions& options,
                              const std::vector<TunedSetting>& grid) {
    std::vector<std::string> words;
    words.reserve(grid.size());
    for (const TunedSetting& setting : grid) {
        words.push_back(setting.name + "=" + value_of(options, setting.name));
    }
    return fmt::format("{}", fmt::join(words, " "));
}

// Over the queries of all parts, each measured by what was learned without it.
double held_out_mean(const std::string& learner, const TrainingSet& set,
                     const LearnerOptions& options, const std::vector<HeldOutPart>& parts,
                     Executor& executor, const Progress& progress) {
    double sum = 0;
    double count = 0;
    for (const HeldOutPart& part : parts) {
        const TrainingResult result =
            fit_learner(learner, subset(set, part.inside), options, executor, progress);
        const TrainingSet outside = subset(set, part.outside);
        const TrainingMeasure measure(outside, options.measure, options.judging);
        for (const double value : measure.values(result.function, executor)) {
            sum += value;
            ++count;
        }
    }
    return count > 0 ? sum / count : 0;
}

}  // namespace

void set_option(const LearnerInfo& info, const std::string& name, const std::string& value,
                LearnerOptions& options) {
    const bool is_choice = std::any_of(info.choices.begin(), info.choices.end(),
                                       [&](const ChoiceInfo& each) { return each.name == name; });
    if (is_choice) {
        options.choices[name] = value;
        return;
    }
    if (find_parameter(info, name) == nullptr) {
        std::vector<std::string> known;
        for (const ParameterInfo& parameter : info.parameters) known.push_back(parameter.name);
        for (const ChoiceInfo& choice : info.choices) known.push_back(choice.name);
        throw UnknownComponent("parameter of " + info.name, name, known);
    }
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) {
        throw InvalidArgument(
            fmt::format("{}: {} is {}, expected a number", info.name, name, shown(value)));
    }
    options.parameters[name] = number;
}

std::vector<TunedSetting> own_grid(const LearnerInfo& info) {
    if (const ParameterInfo* c = find_parameter(info, "c")) {
        TunedSetting setting{"c", {}};
        for (const double factor : {0.01, 0.1, 1.0, 10.0, 100.0}) {
            setting.values.push_back(fmt::format("{:g}", factor * c->default_value));
        }
        return {setting};
    }
    // How closely a learner fits, the most restrained value first.
    static const std::vector<TunedSetting> known = {
        {"rounds", {"10", "30", "100", "300"}},
        {"beta", {"3", "10", "30", "100", "200"}},
        {"gamma", {"5", "1", "0.5", "0.2", "0"}},
        {"l2", {"1", "0.1", "0.01", "0.001", "0"}},
    };
    if (info.needs_judgements) {
        for (const TunedSetting& setting : known) {
            if (find_parameter(info, setting.name) != nullptr) return {setting};
        }
    }
    throw InvalidArgument(info.name +
                          " has no setting that is tried by itself, expected NAME=VALUE,VALUE");
}

std::vector<LearnerOptions> all_settings(const LearnerInfo& info, const LearnerOptions& options,
                                         const std::vector<TunedSetting>& grid) {
    std::vector<LearnerOptions> all = {options};
    for (const TunedSetting& setting : grid) {
        const std::string& name = setting.name;
        if (setting.values.empty()) {
            throw InvalidArgument(fmt::format("tuning {}: no values to try", shown(name)));
        }
        if (all[0].parameters.count(name) + all[0].choices.count(name) > 0) {
            throw InvalidArgument(fmt::format("tuning {}: it is given already", shown(name)));
        }
        if (all.size() * setting.values.size() > kMostCombinations) {
            throw InvalidArgument(
                fmt::format("tuning: over {} combinations of values", kMostCombinations));
        }
        std::vector<LearnerOptions> next;
        for (const LearnerOptions& each : all) {
            for (const std::string& value : setting.values) {
                next.push_back(each);
                set_option(info, name, value, next.back());
            }
        }
        all = std::move(next);
    }
    for (const LearnerOptions& each : all) resolve_options(info, each);
    return all;
}

Tuned tune(const std::string& learner, const TrainingSet& set, const LearnerOptions& options,
           const std::vector<TunedSetting>& grid, std::size_t parts, Executor& executor,
           const Progress& progress) {
    LearnerOptions bare = options;
    bare.watched.clear();
    const std::vector<LearnerOptions> all = all_settings(learners().find(learner), bare, grid);
    const std::vector<HeldOutPart> split = options.validation == nullptr
                                               ? held_out_parts(set, options, parts)
                                               : std::vector<HeldOutPart>{};
    if (options.validation == nullptr && split.size() < 2) {
        throw InvalidArgument(
            fmt::format("tuning: {} parts of queries that can tell weights apart, expected 2 and "
                        "more to hold one out",
                        split.size()));
    }
    std::vector<std::string> means;
    std::size_t best = 0;
    double highest = -1;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Progress trial = within(progress, settings_in_words(all[i], grid));
        double mean = 0;
        if (options.validation != nullptr) {
            const TrainingMeasure measure(*options.validation, options.measure, options.judging);
            mean =
                measure.mean(fit_learner(learner, set, all[i], executor, trial).function, executor);
        } else {
            mean = held_out_mean(learner, set, all[i], split, executor, trial);
        }
        means.push_back(fmt::format("{} {:.4f}", settings_in_words(all[i], grid), mean));
        if (mean <= highest) continue;
        highest = mean;
        best = i;
    }
    Tuned tuned{all[best], fmt::format("{} chosen by {} on {} ({})",
                                       settings_in_words(all[best], grid), options.measure,
                                       options.validation != nullptr ? "the validation queries"
                                                                     : "held-out queries",
                                       fmt::join(means, ", "))};
    tuned.options.watched = options.watched;
    return tuned;
}

namespace {

constexpr double kVariantErrors = 2;

// options.measure of each column from `first` on, and of `ranker` before them, by query.
std::vector<std::vector<double>> values_alone(const TrainingJob& job, const TrainingSet& set,
                                              const TrainingMeasure& measure) {
    std::vector<std::size_t> columns = {job.variants->ranker};
    for (std::size_t k = job.variants->first; k < set.width(); ++k) columns.push_back(k);
    std::vector<std::vector<double>> values;
    for (const std::size_t column : columns) {
        LinearFunction alone{std::vector<double>(set.width(), 0)};
        alone.weights[column] = 1;
        values.emplace_back();
        for (const std::size_t q : measure.queries()) {
            values.back().push_back(measure.of_query(q, alone));
        }
    }
    return values;
}

// The list with the greatest sum over the queries that `counts` has; the first of equals.
std::size_t best_of(const std::vector<std::vector<double>>& values,
                    const std::vector<bool>& counts) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t v = 0; v < values.size(); ++v) {
        double sum = 0;
        for (std::size_t q = 0; q < counts.size(); ++q) sum += counts[q] ? values[v][q] : 0;
        if (sum > most) {
            most = sum;
            best = v;
        }
    }
    return best;
}

}  // namespace

ChosenColumns chosen_columns(const TrainingJob& job, const TrainingSet& set) {
    const RankerVariants& variants = *job.variants;
    ChosenColumns chosen;
    for (std::size_t k = 0; k < variants.first; ++k) chosen.columns.push_back(k);
    const TrainingMeasure measure(set, job.options.measure, job.options.judging);
    const std::vector<std::vector<double>> values = values_alone(job, set, measure);
    const std::size_t count = measure.queries().size();
    const std::string& name = set.rankers[variants.ranker];
    const std::size_t parts = std::min(job.tuning_parts, count);
    if (parts < 2) {
        chosen.reason = name + " keeps its parameters for want of queries";
        return chosen;
    }
    std::vector<std::string> queries;
    for (const std::size_t q : measure.queries()) queries.push_back(set.queries[q]);
    std::vector<double> gains;
    for (const Fold& fold : cross_validation_folds(queries, parts, job.options.seed)) {
        std::vector<bool> inside(count, false);
        for (const std::size_t q : fold.train) inside[q] = true;
        const std::size_t best = best_of(values, inside);
        for (const std::size_t q : fold.test) gains.push_back(values[best][q] - values[0][q]);
    }
    const double gain = mean(gains);
    const double error = standard_deviation(gains) / std::sqrt(static_cast<double>(count));
    const std::size_t best = best_of(values, std::vector<bool>(count, true));
    const bool takes = best > 0 && gain > kVariantErrors * error;
    if (takes) chosen.columns[variants.ranker] = variants.first + best - 1;
    chosen.reason = fmt::format(
        "{} (the best of {} gains {:+.4f} +- {:.4f} {} alone on {} held-out queries)",
        takes ? set.rankers[chosen.columns[variants.ranker]] + " takes the place of " + name
              : name + " keeps its parameters",
        values.size() - 1, gain, error, job.options.measure, count);
    return chosen;
}

}  // namespace braid
