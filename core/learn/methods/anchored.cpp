// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "braid/core/base/quadratic_program.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/linear_risk.h"
#include "braid/core/learn/losses/listwise_loss.h"
#include "braid/core/learn/methods/methods.h"

// Equations are those of docs/algorithms/anchored.md.

namespace braid {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kHalvings = 40;
constexpr double kLeastFall = 1e-4;

// The mean of (4) over queries, at the scores of all rows.
Rows curvature(const TrainingSet& set, const TopOneLoss& loss, const std::vector<double>& scores) {
    const auto width = static_cast<Index>(set.width());
    Rows sum = Rows::Zero(width, width);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        if (loss.weight(q) == 0) continue;
        const auto size = static_cast<Index>(set.pool_size(q));
        const Eigen::Map<const Rows> rows(set.query_scores(q).data(), size, width);
        const Eigen::Map<const VectorXd> pool(scores.data() + set.query_begin[q], size);
        VectorXd first = (pool.array() - pool.maxCoeff()).exp().matrix();
        first /= first.sum();
        const VectorXd mean = rows.transpose() * first;
        sum += loss.weight(q) *
               (rows.transpose() * first.asDiagonal() * rows - mean * mean.transpose());
    }
    return sum;
}

class AnchoredFit {
  public:
    AnchoredFit(const TrainingSet& set, const TopOneLoss& loss, const std::vector<double>& anchor,
                double lambda, Executor& executor)
        : set_(set), loss_(loss), risk_(set, loss, executor), slopes_(set.rows()) {
        const Eigen::Map<const VectorXd> a(anchor.data(), static_cast<Index>(anchor.size()));
        penalty_ = Rows::Identity(a.size(), a.size()) - a * a.transpose() / a.squaredNorm();  // (2)
        penalty_ *= 2 * lambda;
        move_to(a);
    }

    double objective() const { return objective_; }
    std::vector<double> weights() const {
        return {weights_.data(), weights_.data() + weights_.size()};
    }

    // What the next step promises to take off the objective.
    double promise() {
        const std::vector<double> sums = risk_.gradient(slopes_);
        gradient_ = Eigen::Map<const VectorXd>(sums.data(), weights_.size()) + penalty_ * weights_;
        Rows hessian = curvature(set_, loss_, scores_) + penalty_;
        // Without it the model has no minimum where rankers are copies of each other.
        hessian.diagonal().array() += 1e-12 * (1 + hessian.trace());
        const VectorXd linear = hessian * weights_ - gradient_;
        const NonnegativeSolution best =
            solve_nonnegative({hessian.data(), static_cast<std::size_t>(hessian.size())},
                              {linear.data(), static_cast<std::size_t>(linear.size())});
        step_ = Eigen::Map<const VectorXd>(best.values.data(), weights_.size()) - weights_;
        return -(gradient_.dot(step_) + 0.5 * step_.dot(hessian * step_));
    }

    // False where no part of the step lowers the objective.
    bool step() {
        const VectorXd from = weights_;
        const double before = objective_;
        const double slope = gradient_.dot(step_);
        double length = 1;
        for (std::size_t i = 0; i < kHalvings; ++i, length /= 2) {
            move_to((from + length * step_).cwiseMax(0));
            if (objective_ <= before + kLeastFall * length * slope) return objective_ < before;
        }
        move_to(from);
        return false;
    }

  private:
    void move_to(const VectorXd& weights) {
        weights_ = weights;
        scores_ = risk_.scores({weights_.data(), static_cast<std::size_t>(weights_.size())});
        objective_ =
            risk_.value(scores_, slopes_) + 0.5 * weights_.dot(penalty_ * weights_);  // (1)
    }

    const TrainingSet& set_;
    const TopOneLoss& loss_;
    LinearRisk risk_;
    Rows penalty_;  // 2 lambda P
    VectorXd weights_;
    std::vector<double> scores_;
    std::vector<double> slopes_;
    double objective_ = 0;
    VectorXd gradient_;
    VectorXd step_;
};

TrainingResult fit_anchored(const TrainingSet& set, const LearnerOptions& options,
                            Executor& executor, const Progress& progress) {
    const ParameterMap& parameters = options.parameters;
    const auto iterations = static_cast<std::size_t>(parameters.at("iterations"));
    const TopOneLoss loss(set);
    AnchoredFit fit(set, loss, anchor_weights(options, set.width()), parameters.at("lambda"),
                    executor);
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")));
    ProgressGate gate(progress, "training anchored", "iterations", iterations + 1);
    std::string reason = "iteration limit";
    for (std::size_t i = 0; i <= iterations; ++i) {
        gate.step(fmt::format("objective {:.6g}", fit.objective()));
        if (!monitor.record(fit.objective(), fit.weights())) {
            reason = "no better on the validation part";
            break;
        }
        if (fit.promise() <= parameters.at("tolerance") * fit.objective()) {
            reason = "converged";
            break;
        }
        if (i < iterations && !fit.step()) {
            reason = "no better step";
            break;
        }
    }
    return monitor.result("divergence of first places + lambda (distance from the anchor)^2",
                          reason);
}

}  // namespace

LearnerMethod anchored_method() {
    return {.parameters = {{"lambda", 1, 0, 1e9, "penalty on weights orthogonal to the anchor"},
                           {"tolerance", 1e-8, 1e-15, 1,
                            "stop when a step promises a smaller relative gain"},
                           {"iterations", 100, 1, 1e6, "steps at most", kWhole},
                           patience_parameter()},
            .fit = fit_anchored};
}

}  // namespace braid
