// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/pair_weights.h"
#include "braid/core/learn/methods/methods.h"

// Equations are those of docs/algorithms/rankboost.md.

namespace braid {
namespace {

// Below it weights of pairs are too small to divide by.
constexpr double kLeastLoss = 1e-100;

constexpr std::size_t kRankersAtOnce = 4;
// After so many rounds, or so long a way, weights of pairs are computed afresh.
constexpr std::size_t kRoundsPerUpdate = 32;
constexpr double kLongestWay = 200;

// A weak ranker: 1 above a threshold, 0 elsewhere. The threshold is below so many rows.
struct Threshold {
    std::size_t ranker = 0;
    std::size_t rows = 0;
    double edge = 0;
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
          columns_(set.width()) {
        const auto thresholds = static_cast<std::size_t>(options.parameters.at("thresholds"));
        executor.run(set.width(),
                     [&](std::size_t k) { columns_[k] = ThresholdColumn(set, k, thresholds); });
        weights_.update(scores_, executor);
    }

    // The mean loss of pairs, 1 at first.
    double loss() const { return weights_.total(); }

    // One round; the step is 0 where no threshold is any use.
    double add(StepFunction& function) {
        const Threshold best = find();
        const ThresholdColumn& column = columns_[best.ranker];
        std::fill(marked_.begin(), marked_.end(), 0);
        for (std::size_t i = 0; i < best.rows; ++i) marked_[column.row(i)] = 1;
        const double step = step_of(best);
        if (step == 0) return 0;
        for (std::size_t i = 0; i < best.rows; ++i) scores_[column.row(i)] += step;
        way_ += std::abs(step);
        if (++rounds_ % kRoundsPerUpdate == 0 || way_ > kLongestWay) {
            weights_.update(scores_, executor_);
            way_ = 0;
        } else {
            weights_.raise(marked_, step, executor_);
        }
        function.rankers.push_back(best.ranker);
        function.thresholds.push_back(column.threshold(best.rows));
        function.rises.push_back(step);
        return step;
    }

  private:
    // (3): of every ranker the threshold of largest edge in magnitude, then the best of them.
    Threshold find() const {
        std::vector<Threshold> best(set_.width());
        const std::size_t groups = (set_.width() + kRankersAtOnce - 1) / kRankersAtOnce;
        executor_.run(groups, [&](std::size_t group) {
            const std::size_t begin = group * kRankersAtOnce;
            if (begin + kRankersAtOnce <= set_.width()) {
                scan<kRankersAtOnce>(begin, best);
            } else {
                for (std::size_t k = begin; k < set_.width(); ++k) scan<1>(k, best);
            }
        });
        Threshold result = best[0];
        for (const Threshold& threshold : best) {
            if (std::abs(threshold.edge) > std::abs(result.edge)) result = threshold;
        }
        return result;
    }

    // Several rankers side by side, so that one's sum needn't wait for another's.
    template <std::size_t Count>
    void scan(std::size_t first, std::vector<Threshold>& best) const {
        std::array<const std::uint32_t*, Count> rows;
        std::array<double, Count> edges{};
        std::array<double, Count> most{};
        for (std::size_t c = 0; c < Count; ++c) {
            rows[c] = columns_[first + c].rows().data();
            best[first + c].ranker = first + c;
        }
        const double* potentials = weights_.potentials().data();
        for (std::size_t i = 0; i < set_.rows(); ++i) {
            for (std::size_t c = 0; c < Count; ++c) {
                const std::uint32_t row = rows[c][i];
                edges[c] += potentials[row >> 1U];
                if ((row & 1U) == 0 || !(std::abs(edges[c]) > most[c])) continue;
                most[c] = std::abs(edges[c]);
                best[first + c].rows = i + 1;
                best[first + c].edge = edges[c];
            }
        }
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
    std::vector<std::uint8_t> marked_;
    std::vector<ThresholdColumn> columns_;
    std::size_t rounds_ = 0;
    double way_ = 0;  // Of the steps since weights were computed afresh.
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

TrainingResult fit_rankboost(const TrainingSet& set, const LearnerOptions& options,
                             Executor& executor, const Progress& progress) {
    const auto rounds = static_cast<std::size_t>(options.parameters.at("rounds"));
    RankBoost boosting(set, options, executor);
    std::optional<Validation> validation;
    if (options.validation != nullptr) validation.emplace(options);
    const CurveWatch watch(options);
    ProgressGate gate(progress, "training rankboost", "rounds", rounds);
    TrainingResult result;
    result.objective_name = "mean exponential loss of pairs, the less the better";
    result.stop_reason = "iteration limit";
    StepFunction function{set.width(), {}, {}, {}};
    KeepBest best(static_cast<std::size_t>(options.parameters.at("patience")));
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
        CurvePoint point{round,
                         boosting.loss(),
                         {},
                         watch.is_idle() ? std::vector<double>{} : watch.measure(tidy(function))};
        if (validation) point.validation = validation->add(function);
        if (!best.record(std::move(point), result)) break;
    }
    result.iterations = result.curve.size() - 1;
    function.rankers.resize(best.kept());
    function.thresholds.resize(best.kept());
    function.rises.resize(best.kept());
    result.function = tidy(function);
    return result;
}

}  // namespace

LearnerMethod rankboost_method() {
    return {
        .parameters = {{"rounds", 300, 1, 1e6, "thresholds at most", kWhole},
                       {"thresholds", 10, 0, 1e6,
                        "evenly spaced thresholds per ranker; 0: between any two scores", kWhole},
                       longest_step_parameter("threshold"),
                       patience_parameter()},
        .choices = {{"steps",
                     "edge",
                     {"exact", "edge"},
                     "the step that minimises the loss of pairs, or a bound on it (the edge)"},
                    {"costs",
                     "even",
                     {"even", "queries"},
                     "equal weight for all pairs, or for all queries"}},
        .forms = {"steps"},
        .may_weigh_negatively = true,
        .normaliser = "z-score",
        .fit = fit_rankboost};
}

}  // namespace braid
