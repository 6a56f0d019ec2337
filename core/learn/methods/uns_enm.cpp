// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/smooth_measure.h"
#include "braid/core/learn/methods/methods.h"

// Equations are those of docs/algorithms/genm.md.

namespace braid {
namespace {

constexpr double kMoved = 0.01;  // Of weights that sum to 1.

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

using Matrix = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A query's scores less each ranker's mean.
Rows centred(const TrainingSet& set, std::size_t query) {
    const std::span<const double> scores = set.query_scores(query);
    Rows rows =
        Eigen::Map<const Rows>(scores.data(), static_cast<Eigen::Index>(set.pool_size(query)),
                               static_cast<Eigen::Index>(set.width()));
    if (rows.rows() > 0) rows.rowwise() -= rows.colwise().mean().eval();
    return rows;
}

// S'S of (8) in units of documents times squared spread.
Matrix scatter(const TrainingSet& set) {
    const auto width = static_cast<Eigen::Index>(set.width());
    Matrix result = Matrix::Zero(width, width);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const Rows rows = centred(set, q);
        result += rows.transpose() * rows;
    }
    const double unit = result.trace() / static_cast<double>(width);
    return unit > 0 ? Matrix(result / unit) : result;
}

// (10): 1 for copies, 0 for the rankers that are least alike.
Matrix likeness(const TrainingSet& set) {
    const auto width = static_cast<Eigen::Index>(set.width());
    Matrix sum = Matrix::Zero(width, width);
    Matrix count = Matrix::Constant(width, width, 1e-300);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const Rows rows = centred(set, q);
        const Matrix products = rows.transpose() * rows;
        for (Eigen::Index k = 0; k < width; ++k) {
            for (Eigen::Index l = 0; l < width; ++l) {
                const double lengths = products(k, k) * products(l, l);
                if (!(lengths > 0)) continue;
                sum(k, l) += products(k, l) / std::sqrt(lengths);
                count(k, l) += 1;
            }
        }
    }
    const Matrix correlation = sum.cwiseQuotient(count);
    const double least = std::min(correlation.minCoeff(), 1 - 1e-9);
    Matrix result = ((correlation.array() - least) / (1 - least)).max(0.0).min(1.0);
    result.diagonal().setOnes();
    return result;
}

class Teaching {
  public:
    Teaching(const TrainingSet& set, const LearnerOptions& options, Executor& executor)
        : executor_(executor), anchor_(anchor_weights(options, set.width())), weights_(anchor_) {
        const Pretence how = {options.choices.at("pretend") == "threshold",
                              options.parameters.at("threshold"),
                              static_cast<std::size_t>(options.parameters.at("top"))};
        for (std::size_t k = 0; k < set.width(); ++k) {
            teachers_.emplace_back(set, pretended(set, k, how), smooth_options(options));
        }
        const Matrix alike = likeness(set);
        heeds_ = 1 - alike.array();
        trust_ = alike.rowwise().sum().cwiseInverse();
        trust_ /= trust_.sum();
        penalty_ = options.parameters.at("sigma") * static_cast<double>(set.width()) * scatter(set);
        penalty_.diagonal().array() += options.parameters.at("l2");
    }

    void start(std::vector<double> weights) {
        weights_ = std::move(weights);
        steps_ = 1;
    }

    const std::vector<double>& weights() const { return weights_; }
    std::string name() const {
        return "mean " + teachers_[0].name() + " by the rankers, penalised";
    }

    // The mean over teachers of (7), less (8).
    double objective() const {
        double sum = 0;
        for (std::size_t k = 0; k < teachers_.size(); ++k) {
            sum += trust(k) * teachers_[k].value(taught_by(k, weights_), executor_);
        }
        const Eigen::VectorXd step = from_anchor();
        return sum - 0.5 * step.dot(penalty_ * step);
    }

    // Each ranker teaches the others once.
    void teach() {
        const auto count = static_cast<double>(teachers_.size());
        for (std::size_t k = 0; k < teachers_.size(); ++k) {
            steps_ += 1;
            const double rate = 1 / steps_;
            const std::vector<double> gradient = taught_by(
                k, teachers_[k].with_gradient(taught_by(k, weights_), executor_).gradient);
            // No step is longer than half of the weights.
            const double most = 0.5 * length(weights_);
            const double factor =
                std::min(rate * count * trust(k), most / std::max(length(gradient), 1e-300));
            for (std::size_t l = 0; l < weights_.size(); ++l) {
                weights_[l] += factor * gradient[l];
            }
            shrink(rate);
        }
    }

  private:
    double trust(std::size_t ranker) const { return trust_(static_cast<Eigen::Index>(ranker)); }

    // Each ranker's part times how much it heeds that teacher.
    std::vector<double> taught_by(std::size_t teacher, std::vector<double> parts) const {
        for (std::size_t l = 0; l < parts.size(); ++l) {
            parts[l] *= heeds_(static_cast<Eigen::Index>(teacher), static_cast<Eigen::Index>(l));
        }
        return parts;
    }

    Eigen::VectorXd from_anchor() const {
        const auto size = static_cast<Eigen::Index>(weights_.size());
        return Eigen::Map<const Eigen::VectorXd>(weights_.data(), size) -
               Eigen::Map<const Eigen::VectorXd>(anchor_.data(), size);
    }

    // (9)
    void shrink(double rate) {
        const auto size = static_cast<Eigen::Index>(weights_.size());
        const Matrix system = Matrix::Identity(size, size) + rate * penalty_;
        const Eigen::VectorXd step = system.llt().solve(from_anchor());
        for (Eigen::Index l = 0; l < size; ++l) {
            const auto at = static_cast<std::size_t>(l);
            weights_[at] = step(l) + anchor_[at];
        }
    }

    Executor& executor_;
    std::vector<double> anchor_;
    std::vector<double> weights_;
    std::vector<SmoothMeasure> teachers_;
    Matrix heeds_;           // By teacher, then ranker.
    Eigen::VectorXd trust_;  // Sum 1.
    Matrix penalty_;
    double steps_ = 1;
};

// Steps from one start; why they ended.
std::string climb(Teaching& teaching, const LearnerOptions& options, FitMonitor& monitor,
                  ProgressGate& gate) {
    const auto rounds = static_cast<std::size_t>(options.parameters.at("rounds"));
    double before = teaching.objective();
    if (!monitor.record(before, teaching.weights())) return "no better on the validation part";
    for (std::size_t round = 0; round < rounds; ++round) {
        teaching.teach();
        const double after = teaching.objective();
        gate.step(fmt::format("objective {:.4f}", after));
        if (!monitor.record(after, teaching.weights())) return "no better on the validation part";
        if (std::abs(after - before) <= options.parameters.at("tolerance")) return "converged";
        before = after;
    }
    return "iteration limit";
}

// Weights that the rankers' agreement has moved too little to matter.
bool is_anchor(const std::vector<double>& weights, const LearnerOptions& options) {
    const std::vector<double> anchor = anchor_weights(options, weights.size());
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (std::abs(weights[k] - anchor[k]) > kMoved) return false;
    }
    return true;
}

TrainingResult fit_uns_enm(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress& progress) {
    const auto patience = static_cast<std::size_t>(options.parameters.at("patience"));
    // Algorithm 4 begins at several points. By true measures, as the paper does, none can be chosen
    // without judgements: the one whose end has the greatest objective is.
    const std::vector<std::vector<double>> starts = chosen_starts(options, set.width());
    Teaching teaching(set, options, executor);
    ProgressGate gate(progress, "training uns-enm", "rounds",
                      starts.size() * static_cast<std::size_t>(options.parameters.at("rounds")));
    BestOfStarts kept;
    for (const std::vector<double>& start : starts) {
        teaching.start(start);
        FitMonitor monitor(options, patience);
        const std::string reason = climb(teaching, options, monitor, gate);
        TrainingResult result = monitor.result(teaching.name(), reason);
        const double objective = result.objective;
        kept.take(start, std::move(result), objective);
    }
    TrainingResult best = std::move(kept).best();
    if (is_anchor(std::get<LinearFunction>(best.function).weights, options)) {
        best.stop_reason += options.anchor.empty()
                                ? "; the result is the anchor, uniform weights"
                                : "; the result is the anchor, the weights as before";
    }
    return best;
}

}  // namespace

LearnerMethod uns_enm_method() {
    return {
        .parameters = joined(
            {smooth_parameters(),
             {{"sigma", 1, 0, 1e9,
               "strength of the penalty (P8), in units of documents times squared spread"},
              {"rounds", 10, 1, 1e6, "most rounds; every ranker teaches once in each", kWhole},
              {"tolerance", 1e-4, 0, 1,
               "stop after a round that changes the objective no more than this (2017)"},
              {"top", 10, 1, 1e9, "top documents of a query that a ranker takes as relevant",
               kWhole, "pretend=top"},
              {"threshold", 0.5, -1e300, 1e300, "documents above this score are taken as relevant",
               !kWhole, "pretend=threshold"},
              starts_parameter(),
              l2_parameter(),
              patience_parameter()}}),
        .choices =
            {aim_choice(),
             start_choice("anchor"),
             {"pretend", "top", {"top", "threshold"}, "how a ranker chooses relevant documents"}},
        .needs_judgements = false,
        .grades = GradeUse::kNone,
        .fit = fit_uns_enm};
}

}  // namespace braid
