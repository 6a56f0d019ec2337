// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/methods/uns_enm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "braid/core/learners/fitting/fit_monitor.h"
#include "braid/core/learners/smooth/smooth_parameters.h"

// Equations are those of docs/algorithms/genm.md.

namespace braid {
namespace {

// Which documents a ranker takes for relevant.
struct Pretence {
    bool by_threshold;
    double threshold;
    std::size_t top;
};

// Grades of 1 for what `ranker` thinks relevant. A query of which it thinks all documents alike,
// or all good enough, teaches nothing.
std::vector<Grade> pretended(const TrainingSet& set, std::size_t ranker, const Pretence& how) {
    std::vector<Grade> grades(set.rows(), 0);
    std::vector<double> sorted;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        sorted.clear();
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            sorted.push_back(set.row(i)[ranker]);
        }
        double above = how.threshold;
        if (!how.by_threshold) {
            if (sorted.size() <= how.top) continue;
            const auto cut = sorted.begin() + static_cast<std::ptrdiff_t>(how.top);
            std::nth_element(sorted.begin(), cut, sorted.end(), std::greater<>());
            above = *cut;  // Documents tied across the cut are out.
        }
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            if (set.row(i)[ranker] > above) grades[i] = 1;
        }
    }
    return grades;
}

// S'S of (8), a mean over queries.
Eigen::MatrixXd scatter(const TrainingSet& set) {
    const auto width = static_cast<Eigen::Index>(set.width());
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(width, width);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::span<const double> scores = set.query_scores(q);
        const Eigen::Map<const Rows> rows(scores.data(),
                                          static_cast<Eigen::Index>(set.pool_size(q)), width);
        result += rows.transpose() * rows;
    }
    return result / std::max(1.0, static_cast<double>(set.queries.size()));
}

class Teaching {
  public:
    Teaching(const TrainingSet& set, const LearnerOptions& options, Executor& executor)
        : executor_(executor), weights_(uniform_weights(set.width())) {
        const Pretence how = {options.choices.at("pretend") == "threshold",
                              options.parameters.at("threshold"),
                              static_cast<std::size_t>(options.parameters.at("top"))};
        for (std::size_t k = 0; k < set.width(); ++k) {
            teachers_.emplace_back(set, pretended(set, k, how), smooth_options(options));
        }
        penalty_ = options.parameters.at("sigma") * static_cast<double>(set.width()) * scatter(set);
        penalty_.diagonal().array() += options.parameters.at("l2");
    }

    const std::vector<double>& weights() const { return weights_; }
    std::string name() const {
        return "mean " + teachers_[0].name() + " by the rankers, penalised";
    }

    // The mean over teachers of (7), (8).
    double objective() const {
        double sum = 0;
        for (std::size_t k = 0; k < teachers_.size(); ++k) {
            sum += teachers_[k].value(without(k), executor_);
        }
        const Eigen::VectorXd step = from_uniform();
        return sum / static_cast<double>(teachers_.size()) - 0.5 * step.dot(penalty_ * step);
    }

    // Each ranker teaches the others once.
    void teach() {
        for (std::size_t k = 0; k < teachers_.size(); ++k) {
            steps_ += 1;
            const double rate = 1 / steps_;
            std::vector<double> gradient =
                teachers_[k].with_gradient(without(k), executor_).gradient;
            gradient[k] = 0;
            double squares = 0;
            for (const double part : gradient) squares += part * part;
            double length = 0;
            for (const double weight : weights_) length += weight * weight;
            // No step is longer than half of the weights.
            const double most = 0.5 * std::sqrt(length);
            const double factor = std::min(rate, most / std::max(std::sqrt(squares), 1e-300));
            for (std::size_t l = 0; l < weights_.size(); ++l) {
                weights_[l] += factor * gradient[l];
            }
            shrink(rate);
        }
    }

  private:
    std::vector<double> without(std::size_t ranker) const {
        std::vector<double> result = weights_;
        result[ranker] = 0;
        return result;
    }

    Eigen::VectorXd from_uniform() const {
        const auto size = static_cast<Eigen::Index>(weights_.size());
        return Eigen::Map<const Eigen::VectorXd>(weights_.data(), size) -
               Eigen::VectorXd::Constant(size, 1 / static_cast<double>(size));
    }

    // (9)
    void shrink(double rate) {
        const auto size = static_cast<Eigen::Index>(weights_.size());
        const Eigen::MatrixXd system = Eigen::MatrixXd::Identity(size, size) + rate * penalty_;
        const Eigen::VectorXd step = system.llt().solve(from_uniform());
        for (Eigen::Index l = 0; l < size; ++l) {
            weights_[static_cast<std::size_t>(l)] = step(l) + 1 / static_cast<double>(size);
        }
    }

    Executor& executor_;
    std::vector<double> weights_;
    std::vector<SmoothMeasure> teachers_;
    Eigen::MatrixXd penalty_;
    double steps_ = 1;
};

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    const ParameterMap& parameters = options.parameters;
    Teaching teaching(set, options, executor);
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")));
    const auto rounds = static_cast<std::size_t>(parameters.at("rounds"));
    ProgressGate gate(progress, "training uns-enm", "rounds", rounds);
    double before = teaching.objective();
    bool is_open = monitor.record(before, teaching.weights());
    std::string reason = "iteration limit";
    for (std::size_t round = 0; round < rounds && is_open; ++round) {
        teaching.teach();
        const double after = teaching.objective();
        gate.step(fmt::format("objective {:.4f}", after));
        is_open = monitor.record(after, teaching.weights());
        if (!is_open) reason = "no better on the validation part";
        if (is_open && std::abs(after - before) <= parameters.at("tolerance")) {
            reason = "converged";
            break;
        }
        before = after;
    }
    return monitor.result(teaching.name(), reason);
}

}  // namespace

LearnerInfo uns_enm_info() {
    std::vector<ParameterInfo> parameters = smooth_parameters();
    parameters.insert(
        parameters.end(),
        {{"sigma", 10, 0, 1e9, "strength of the penalty (P8), for sums over a query's documents"},
         {"rounds", 10, 1, 1e6, "rounds at most, in each of which every ranker teaches once",
          kWhole},
         {"tolerance", 1e-4, 0, 1, "a round that changes the objective no more is the last (2017)"},
         {"top", 10, 1, 1e9, "documents of a query that a ranker pretends are relevant", kWhole,
          "pretend=top"},
         {"threshold", 0.5, -1e300, 1e300, "or those with a score above this", !kWhole,
          "pretend=threshold"},
         l2_parameter(),
         patience_parameter()});
    return {.name = "uns-enm",
            .summary = "without judgements: what one ranker thinks best teaches the others",
            .source = "Wang, Choi, Liu 2017 (UnsEnM)",
            .parameters = parameters,
            .choices = {aim_choice(),
                        {"pretend", "top", {"top", "threshold"}, "how a ranker chooses them"}},
            .needs_judgements = false,
            .grades = GradeUse::kNone,
            .fit = fit};
}

}  // namespace braid
