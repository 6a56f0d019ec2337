// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/methods/attention_trial.h"

#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/training_measure.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
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
    const LearnedAttention fixed = fit_heat(objective, plan, base, *executor);
    const TrainingMeasure measure(held_out, options.measure, options.judging);
    const std::vector<double> before = measure.values(LinearFunction{base}, *executor);
    Gains gains{std::vector<std::vector<double>>(pulls.size()),
                std::vector<std::vector<double>>(pulls.size())};
    fit_pulls(objective, plan, base, pulls, *executor,
              [&](std::size_t p, const LearnedAttention& learned) {
                  step(pulls[p]);
                  const std::vector<double> after = measure.values(learned.function, *executor);
                  for (std::size_t i = 0; i < before.size(); ++i) {
                      gains.measure[p].push_back(after[i] - before[i]);
                  }
                  for (std::size_t i = 0; i < other.queries().size(); ++i) {
                      gains.loss[p].push_back(attention_loss(fixed, other, i) -
                                              attention_loss(learned, other, i));
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

}  // namespace braid
