// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/methods/rankboost.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/learners/fitting/fit_monitor.h"
#include "braid/core/learners/losses/pair_weights.h"

// Equations are those of docs/algorithms/rankboost.md.

namespace braid {
namespace {

// Below it weights of pairs are too small to divide by.
constexpr double kLeastLoss = 1e-100;

// A weak ranker: 1 above a threshold, 0 elsewhere.
struct Threshold {
    std::size_t ranker = 0;
    double at = 0;
    double edge = 0;
};

// Where a ranker may be cut: after so many rows in descending order.
struct Cut {
    std::size_t rows;
    double at;
};

class RankBoost {
  public:
    RankBoost(const TrainingSet& set, const LearnerOptions& options, Executor& executor)
        : set_(set),
          executor_(executor),
          exact_(options.choices.at("steps") == "exact"),
          longest_(options.parameters.at("longest-step")),
          weights_(set, options.choices.at("costs") == "queries"),
          scores_(set.rows(), 0),
          marked_(set.rows()),
          order_(set.width()),
          cuts_(set.width()) {
        const auto thresholds = static_cast<std::size_t>(options.parameters.at("thresholds"));
        executor.run(set.width(), [&](std::size_t k) {
            order_[k].resize(set.rows());
            std::iota(order_[k].begin(), order_[k].end(), 0U);
            std::stable_sort(
                order_[k].begin(), order_[k].end(),
                [&](std::uint32_t a, std::uint32_t b) { return value(a, k) > value(b, k); });
            cuts_[k] = thresholds == 0 ? all_cuts(k) : even_cuts(k, thresholds);
        });
        weights_.update(scores_, executor);
    }

    // The mean loss of pairs, 1 at first.
    double loss() const { return weights_.total(); }

    // One round; the step is 0 where no threshold is any use.
    double add(StepFunction& function) {
        const Threshold best = find();
        for (std::size_t i = 0; i < marked_.size(); ++i) {
            marked_[i] = value(i, best.ranker) > best.at;
        }
        const double step = step_of(best);
        if (step == 0) return 0;
        for (std::size_t i = 0; i < marked_.size(); ++i) scores_[i] += marked_[i] ? step : 0;
        weights_.update(scores_, executor_);
        function.rankers.push_back(best.ranker);
        function.thresholds.push_back(best.at);
        function.rises.push_back(step);
        return step;
    }

  private:
    double value(std::size_t row, std::size_t ranker) const {
        return set_.scores[row * set_.width() + ranker];
    }

    // (3): of every ranker the threshold of largest edge in magnitude, then the best of them.
    Threshold find() const {
        std::vector<Threshold> best(set_.width());
        executor_.run(set_.width(), [&](std::size_t k) {
            best[k].ranker = k;
            const std::vector<std::uint32_t>& order = order_[k];
            double edge = 0;
            std::size_t i = 0;
            for (const Cut& cut : cuts_[k]) {
                for (; i < cut.rows; ++i) edge += weights_.potentials()[order[i]];
                if (std::abs(edge) <= std::abs(best[k].edge)) continue;
                best[k].edge = edge;
                best[k].at = cut.at;
            }
        });
        Threshold result = best[0];
        for (const Threshold& threshold : best) {
            if (std::abs(threshold.edge) > std::abs(result.edge)) result = threshold;
        }
        return result;
    }

    // Halfway between neighbours, or at the lower one where rounding leaves nothing between.
    std::vector<Cut> all_cuts(std::size_t ranker) const {
        const std::vector<std::uint32_t>& order = order_[ranker];
        std::vector<Cut> result;
        for (std::size_t i = 1; i < order.size(); ++i) {
            const double above = value(order[i - 1], ranker);
            const double below = value(order[i], ranker);
            if (above == below) continue;
            const double middle = below + (above - below) / 2;
            result.push_back({i, middle < above ? middle : below});
        }
        return result;
    }

    // `count` thresholds evenly between the ranker's least and greatest score.
    std::vector<Cut> even_cuts(std::size_t ranker, std::size_t count) const {
        const std::vector<std::uint32_t>& order = order_[ranker];
        std::vector<Cut> result;
        if (order.empty()) return result;
        const double greatest = value(order.front(), ranker);
        const double width = greatest - value(order.back(), ranker);
        std::size_t i = 0;
        for (std::size_t t = 1; t <= count; ++t) {
            const double at =
                greatest - width * static_cast<double>(t) / static_cast<double>(count + 1);
            const std::size_t before = i;
            while (i < order.size() && value(order[i], ranker) > at) ++i;
            if (i > before && i < order.size()) result.push_back({i, at});
        }
        return result;
    }

    double step_of(const Threshold& threshold) const {
        if (std::abs(threshold.edge) < 1e-12) return 0;
        double right = 1 + threshold.edge;  // (5)
        double wrong = 1 - threshold.edge;
        if (exact_) {  // (6)
            const PairWeights::Split split = weights_.split(marked_);
            right = split.right;
            wrong = split.wrong;
        }
        const double step = 0.5 * std::log(std::max(right, 1e-300) / std::max(wrong, 1e-300));
        return std::clamp(step, -longest_, longest_);
    }

    const TrainingSet& set_;
    Executor& executor_;
    bool exact_;
    double longest_;
    PairWeights weights_;
    std::vector<double> scores_;
    std::vector<bool> marked_;
    std::vector<std::vector<std::uint32_t>> order_;  // Of each ranker, descending.
    std::vector<std::vector<Cut>> cuts_;
};

// What the function so far gives the validation queries, step by step.
class Validation {
  public:
    Validation(const LearnerOptions& options)
        : measure_(*options.validation, options.measure, options.judging),
          scores_(options.validation->rows(), 0) {}

    double add(const StepFunction& function) {
        const TrainingSet& set = measure_.set();
        if (!function.rankers.empty()) {
            for (std::size_t i = 0; i < scores_.size(); ++i) {
                const bool is_above =
                    set.row(i)[function.rankers.back()] > function.thresholds.back();
                scores_[i] += is_above ? function.rises.back() : 0;
            }
        }
        double sum = 0;
        for (const std::size_t q : measure_.queries()) {
            sum += measure_.of_scores(q, {scores_.data() + set.query_begin[q], set.pool_size(q)});
        }
        return sum / static_cast<double>(measure_.queries().size());
    }

  private:
    TrainingMeasure measure_;
    std::vector<double> scores_;
};

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    const auto rounds = static_cast<std::size_t>(options.parameters.at("rounds"));
    const auto patience = static_cast<std::size_t>(options.parameters.at("patience"));
    RankBoost boosting(set, options, executor);
    std::optional<Validation> validation;
    if (options.validation != nullptr) validation.emplace(options);
    ProgressGate gate(progress, "training rankboost", "rounds", rounds);
    TrainingResult result;
    result.objective_name = "mean exponential loss of pairs, the less the better";
    result.stop_reason = "iteration limit";
    StepFunction function{set.width(), {}, {}, {}};
    std::size_t kept = 0;
    double most = -1;
    for (std::size_t round = 0; round <= rounds; ++round) {
        if (boosting.loss() < kLeastLoss) {
            result.stop_reason = "no pair is left to put right";
            break;
        }
        if (round > 0 && boosting.add(function) == 0) {
            result.stop_reason = "no threshold is any use";
            break;
        }
        gate.step(fmt::format("loss {:.6f}", boosting.loss()));
        CurvePoint point{round, boosting.loss(), {}};
        if (validation) point.validation = validation->add(function);
        result.curve.push_back(point);
        if (!validation || *point.validation > most) {
            most = point.validation.value_or(0);
            kept = round;
            result.objective = point.objective;
        }
        if (validation && patience > 0 && round - kept >= patience) {
            result.stop_reason = "no better on the validation part";
            break;
        }
    }
    result.iterations = result.curve.size() - 1;
    function.rankers.resize(kept);
    function.thresholds.resize(kept);
    function.rises.resize(kept);
    result.function = tidy(function);
    return result;
}

}  // namespace

LearnerInfo rankboost_info() {
    return {.name = "rankboost",
            .summary = "boosting: thresholds on single rankers that put pairs in the right order",
            .source = "Freund, Iyer, Schapire, Singer 2003",
            .parameters = {{"rounds", 300, 1, 1e6, "thresholds at most"},
                           {"thresholds", 0, 0, 1e6,
                            "evenly spaced thresholds a ranker; 0: between any two scores"},
                           {"longest-step", 10, 1e-3, 1e6,
                            "the step for a threshold without fault, which would be infinite"},
                           patience_parameter()},
            .choices = {{"steps",
                         "exact",
                         {"exact", "edge"},
                         "the step that minimises the loss of pairs, or a bound of it (the edge)"},
                        {"costs",
                         "even",
                         {"even", "queries"},
                         "whether all pairs count alike, or all queries"}},
            .may_weigh_negatively = true,
            .fit = fit};
}

}  // namespace braid
