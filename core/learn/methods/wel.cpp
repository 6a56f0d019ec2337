// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/attention_solver.h"
#include "braid/core/learn/solvers/list_descent.h"
#include "braid/core/learn/training_measure.h"
#include "braid/progress.h"

namespace braid {

// Decides by held-out queries whether query-dependent weights pay. docs/algorithms/list-loss.md
// section 4.

/// The gain of the best pull over fixed weights, on held-out queries.
struct AttentionTrial {
    double pull = 0;
    std::size_t queries = 0;
    double loss = 0;  ///< Reduction of the loss, mean over queries, and its standard error.
    double loss_error = 0;
    double measure = 0;
    double measure_error = 0;

    /// The loss falls by more than two standard errors, and the measure rises.
    bool pays() const { return loss > 2 * loss_error && measure > 0; }
};

/// Splits the useful queries into `folds`; the pull of the least loss is the best.
AttentionTrial try_attention(const TrainingSet& set, const LearnerOptions& options,
                             const AttentionPlan& plan, const std::vector<double>& pulls,
                             std::size_t folds, Executor& executor, ProgressGate& gate);

// Equations are those of docs/algorithms/list-loss.md.

namespace {

// By pull, a number a held-out query each.
struct Gains {
    std::vector<std::vector<double>> loss;
    std::vector<std::vector<double>> measure;
};

// The standard error of their mean.
double error_of(const std::vector<double>& values) {
    return standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
}

// Of one fold.
Gains gains_of(const TrainingSet& fitted, const TrainingSet& held_out,
               const LearnerOptions& options, const AttentionPlan& plan,
               const std::vector<double>& pulls, const std::function<void(double)>& step) {
    const auto executor = make_executor(1);
    const ListObjective objective(fitted, plan.list);
    const ListObjective other(held_out, plan.list);
    const std::vector<double> base =
        fixed_weights(objective, plan, [](double, const std::vector<double>&) {});
    const TrainingMeasure measure(held_out, options.measure, options.judging);
    const std::vector<double> before = measure.values(LinearFunction{base}, *executor);
    std::vector<double> before_loss;
    for (std::size_t i = 0; i < other.queries().size(); ++i) {
        before_loss.push_back(other.value(other.whole(i), base, {}));
    }
    Gains gains{std::vector<std::vector<double>>(pulls.size()),
                std::vector<std::vector<double>>(pulls.size())};
    fit_pulls(objective, plan, base, pulls, *executor,
              [&](std::size_t p, const AttentionFunction& learned) {
                  step(pulls[p]);
                  const std::vector<double> after = measure.values(learned, *executor);
                  for (std::size_t i = 0; i < before.size(); ++i) {
                      gains.measure[p].push_back(after[i] - before[i]);
                  }
                  for (std::size_t i = 0; i < other.queries().size(); ++i) {
                      gains.loss[p].push_back(before_loss[i] - attention_loss(learned, other, i));
                  }
              });
    return gains;
}

void append(const std::vector<std::vector<double>>& more, std::vector<std::vector<double>>& all) {
    for (std::size_t p = 0; p < more.size(); ++p) {
        all[p].insert(all[p].end(), more[p].begin(), more[p].end());
    }
}

}  // namespace

AttentionTrial try_attention(const TrainingSet& set, const LearnerOptions& options,
                             const AttentionPlan& plan, const std::vector<double>& pulls,
                             std::size_t folds, Executor& executor, ProgressGate& gate) {
    std::vector<std::size_t> order;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        if (is_useful(set, q, options.judging.relevant_from)) order.push_back(q);
    }
    Random(options.seed, 3).shuffle(order);
    std::vector<Gains> parts(folds);
    executor.run(folds, [&](std::size_t fold) {
        std::vector<std::size_t> inside;
        std::vector<std::size_t> outside;
        for (std::size_t i = 0; i < order.size(); ++i) {
            (i % folds == fold ? outside : inside).push_back(order[i]);
        }
        if (inside.empty() || outside.empty()) return;
        const auto step = [&](double pull) {
            gate.step(fmt::format("fold {} of {}, pull {:g}", fold + 1, folds, pull));
        };
        parts[fold] =
            gains_of(subset(set, inside), subset(set, outside), options, plan, pulls, step);
    });
    Gains all{std::vector<std::vector<double>>(pulls.size()),
              std::vector<std::vector<double>>(pulls.size())};
    for (const Gains& part : parts) {
        append(part.loss, all.loss);
        append(part.measure, all.measure);
    }
    AttentionTrial best{.loss = -std::numeric_limits<double>::infinity()};
    for (std::size_t p = 0; p < pulls.size(); ++p) {
        if (all.loss[p].empty()) continue;
        const double loss = mean(all.loss[p]);
        if (!(loss > best.loss)) continue;  // NaN is no best.
        best = {.pull = pulls[p],
                .queries = all.measure[p].size(),
                .loss = loss,
                .loss_error = error_of(all.loss[p]),
                .measure = mean(all.measure[p]),
                .measure_error = error_of(all.measure[p])};
    }
    return best;
}

// Equations are those of docs/algorithms/list-loss.md.

namespace {

TrainingResult fit_fixed(const std::string& name, const TrainingSet& set,
                         const LearnerOptions& options, const Progress& progress) {
    ListOptions list = list_options(options);
    list.pairs = name == "wep";
    const ListObjective objective(set, list);
    DescentOptions descent = descent_options(options);
    descent.non_negative = signs_of(options.choices) == WeightSigns::kNonNegative;
    FitMonitor monitor(options, static_cast<std::size_t>(options.parameters.at("patience")),
                       signs_of(options.choices));
    ProgressGate gate(progress, "training " + name, "passes", descent.passes + 1);
    const std::string reason =
        descend_fixed(objective, descent, options.parameters.at("l2"),
                      [&](double value, const std::vector<double>& weights) {
                          gate.step(fmt::format("log likelihood {:.4f}", -value));
                          return monitor.record(-value, weights);
                      });
    return monitor.result(list.pairs           ? "log likelihood of pairs"
                          : list.diversity > 0 ? "log likelihood + diversity"
                                               : "log likelihood",
                          reason);
}

LearnerMethod fixed_method(const std::string& name) {
    const bool is_pairs = name == "wep";
    std::vector<ChoiceInfo> choices = {weights_choice()};
    if (!is_pairs) {
        choices.push_back(list_ties_choice());
        choices.push_back(list_queries_choice());
    }
    return {.parameters =
                joined({list_parameters(name == "welv"),
                        descent_parameters(),
                        {{"l2", 0, 0, 1e6, "strength of the pull to 0"}, patience_parameter()}}),
            .choices = choices,
            .forms = {"linear", "signed-linear"},
            .may_weigh_negatively = true,
            .non_negative_with = kNonNegativeWeights,
            .fit = [name](const TrainingSet& set, const LearnerOptions& options, Executor&,
                          const Progress& progress) {
                return fit_fixed(name, set, options, progress);
            }};
}

}  // namespace

LearnerMethod wep_method() { return fixed_method("wep"); }
LearnerMethod wel_method() { return fixed_method("wel"); }
LearnerMethod welv_method() { return fixed_method("welv"); }

namespace {

constexpr std::size_t kPulls = 4;
constexpr double kStrongestPull = 1e6;

// The sum of the base's magnitudes; 1 if all are 0.
double scale_of(const AttentionFunction& function) {
    double sum = 0;
    for (const double weight : function.base) sum += std::abs(weight);
    return sum == 0 ? 1 : sum;
}

// Magnitudes of the base sum to 1, as those of fixed weights do.
AttentionFunction served_form(AttentionFunction function) {
    const double scale = scale_of(function);
    for (double& weight : function.base) weight /= scale;
    for (double& part : function.rankers) part /= scale;
    return function;
}

// From a tenth of the given pull on, up to the strongest.
std::vector<double> pulls_of(const AttentionPlan& plan) {
    std::vector<double> pulls = {plan.whole.shrink / 10};
    while (pulls.size() < kPulls && 10 * pulls.back() <= kStrongestPull) {
        pulls.push_back(10 * pulls.back());
    }
    return pulls;
}

std::string trial_in_words(const AttentionTrial& trial, const std::string& measure) {
    return fmt::format(
        "on {} held-out queries those that follow from features gain {:+.4f} +- {:.4f} log "
        "likelihood and {:+.4f} +- {:.4f} {} with a pull of {:g}",
        trial.queries, trial.loss, trial.loss_error, trial.measure, trial.measure_error, measure,
        trial.pull);
}

TrainingResult fit_by_query(const std::string& name, const TrainingSet& set,
                            const LearnerOptions& options, Executor& executor,
                            const Progress& progress) {
    AttentionPlan plan = attention_plan(options);
    const auto folds = static_cast<std::size_t>(options.parameters.at("folds"));
    const bool is_tried = folds >= 2 && !plan.by_steps;
    ProgressGate gate(progress, "training " + name, "steps",
                      plan.fixed.passes + plan.steps.descent.passes + 2 +
                          (is_tried ? folds * pulls_of(plan).size() : 0));
    const ListObjective objective(set, plan.list);
    const std::string objective_name =
        plan.list.diversity > 0 ? "log likelihood + diversity" : "log likelihood";
    FitMonitor fixed_monitor(options, 0, signs_of(options.choices));
    const std::vector<double> fixed =
        fixed_weights(objective, plan, [&](double value, const std::vector<double>& weights) {
            gate.step(fmt::format("fixed weights, log likelihood {:.4f}", value));
            fixed_monitor.record(value, weights);
        });
    std::string found;
    ParameterMap settled;
    if (is_tried) {
        const AttentionTrial trial =
            try_attention(set, options, plan, pulls_of(plan), folds, executor, gate);
        found = trial_in_words(trial, options.measure);
        settled = {{"folds", 0}, {"shrink", trial.pull}};
        if (!trial.pays()) {
            TrainingResult result =
                fixed_monitor.result(objective_name, "fixed weights are kept: " + found);
            // So strong a pull leaves nothing of departures.
            settled["shrink"] = kStrongestPull;
            result.settled = settled;
            return result;
        }
        plan.whole.shrink = trial.pull;
        found = ": " + found;
    }
    FunctionMonitor monitor(options, static_cast<std::size_t>(options.parameters.at("patience")));
    const std::string reason = fit_attention(
        objective, plan, fixed, executor, [&](double value, const AttentionFunction& function) {
            gate.step(fmt::format("log likelihood {:.4f}", value));
            return monitor.record(value, served_form(function), scale_of(function));
        });
    TrainingResult result = monitor.result(objective_name, reason + found);
    result.settled = std::move(settled);
    return result;
}

LearnerMethod by_query_method(const std::string& name) {
    return {
        .parameters = joined({list_parameters(name == "awelv"),
                              attention_parameters(),
                              {{"l2", 0, 0, 1e6, "strength of the pull of the fixed part to 0"},
                               {"folds", 5, 0, 100,
                                "folds of the queries that test whether these weights gain, with a "
                                "tenth of shrink to a hundred times as much; below 2: no test",
                                kWhole, "embedding=features"},
                               patience_parameter()}}),
        .choices = {list_ties_choice(), list_queries_choice(), weights_choice(),
                    embedding_choice()},
        .needs_query_features = true,
        .featureless_with = "embedding=query",
        .forms = {"attention", "linear", "signed-linear"},
        .may_weigh_negatively = true,
        .non_negative_with = kNonNegativeWeights,
        .fixed_counterpart = name.substr(1),
        .fit = [name](const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                      const Progress& progress) {
            return fit_by_query(name, set, options, executor, progress);
        }};
}

}  // namespace

LearnerMethod awel_method() { return by_query_method("awel"); }
LearnerMethod awelv_method() { return by_query_method("awelv"); }

}  // namespace braid
