// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/attention_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <Eigen/Dense>

#include "braid/core/base/vector_sums.h"
#include "braid/core/learn/solvers/quasi_newton.h"
#include "braid/core/model/attention.h"

namespace braid {

AttentionLoss attention_loss(const ListObjective& objective, const ListObjective::Query& query,
                             std::vector<double> weights, std::span<const double> base,
                             bool non_negative, bool with_slopes) {
    std::vector<bool> is_cut(weights.size(), false);
    if (non_negative) {
        for (std::size_t k = 0; k < weights.size(); ++k) is_cut[k] = !(weights[k] > 0);
        cut_below_zero(weights, base);
    }
    AttentionLoss loss;
    loss.slopes.resize(with_slopes ? weights.size() : 0);
    loss.value = objective.value(query, weights, loss.slopes);
    for (std::size_t k = 0; k < loss.slopes.size(); ++k) {
        if (is_cut[k]) loss.slopes[k] = 0;
    }
    return loss;
}

// Equations are those of docs/algorithms/list-loss.md.

namespace {

constexpr std::size_t kQueriesPerTask = 32;
constexpr double kLeastSum = 0.1;  // Of a query's weights, in parts of the base's.

double mean_square(std::span<const double> values) {
    return values.empty() ? 0 : dot(values, values) / static_cast<double>(values.size());
}

// (11) with A = P J.
std::vector<double> weights_at(std::span<const double> point, const std::vector<double>& base,
                               const std::vector<double>& features) {
    std::vector<double> weights = base;
    const std::size_t count = features.size();
    for (std::size_t k = 0; k < base.size(); ++k) {
        weights[k] += dot(features, point.subspan(k * count));
    }
    return weights;
}

// (8) divides by the sum of weights: beyond a sum of 0, and on the way to it, there is nothing to
// be looked for.
bool is_near_pole(const std::vector<double>& weights, const AttentionFunction& frame) {
    if (frame.non_negative) return false;
    const double base = std::accumulate(frame.base.begin(), frame.base.end(), 0.0);
    return !(std::accumulate(weights.begin(), weights.end(), 0.0) / base > kLeastSum);
}

}  // namespace

// What some queries add to (12) and its derivatives.
struct AttentionFit::Sums {
    double value = 0;
    std::vector<double> gradient;
};

AttentionFit::AttentionFit(const ListObjective& objective, std::vector<double> base,
                           bool non_negative)
    : objective_(objective) {
    frame_.base = std::move(base);
    frame_.non_negative = non_negative;
    describe_queries(objective.set(), frame_);
    for (std::size_t i = 0; i < objective.queries().size(); ++i) {
        const std::size_t count = frame_.features.size();
        const std::span<const double> all = objective.set().query_features;
        features_.push_back(
            standard_features(frame_, all.subspan(objective.queries()[i] * count, count)));
    }
    point_.assign(frame_.base.size() * frame_.features.size(), 0);
}

void AttentionFit::add_query(std::size_t i, std::span<const double> point, Sums& sums) const {
    const std::vector<double>& features = features_[i];
    std::vector<double> weights = weights_at(point, frame_.base, features);
    if (objective_.options().diversity > 0 && is_near_pole(weights, frame_)) {
        sums.value = std::numeric_limits<double>::infinity();
        return;
    }
    const AttentionLoss loss = attention_loss(objective_, objective_.whole(i), std::move(weights),
                                              frame_.base, frame_.non_negative, true);
    sums.value += loss.value;
    const std::span<double> gradient = sums.gradient;
    for (std::size_t k = 0; k < frame_.base.size(); ++k) {
        add_multiple(loss.slopes[k], features, gradient.subspan(k * features.size()));
    }
}

double AttentionFit::value(std::span<const double> point, double shrink, Executor& executor,
                           std::span<double> gradient) const {
    const std::size_t queries = features_.size();
    std::vector<Sums> parts((queries + kQueriesPerTask - 1) / kQueriesPerTask);
    executor.run(parts.size(), [&](std::size_t chunk) {
        parts[chunk].gradient.assign(point.size(), 0);
        const std::size_t end = std::min(queries, (chunk + 1) * kQueriesPerTask);
        for (std::size_t i = chunk * kQueriesPerTask; i < end; ++i) {
            add_query(i, point, parts[chunk]);
        }
    });
    const double count = std::max<double>(1, static_cast<double>(queries));
    const double unit = mean_square(frame_.base);
    const double pull = unit > 0 ? shrink / unit : shrink;
    double value = (pull * dot(point, point)) / 2;
    for (const Sums& part : parts) value += part.value;
    value /= count;
    for (std::size_t j = 0; j < point.size(); ++j) {
        double slope = pull * point[j];
        for (const Sums& part : parts) slope += part.gradient[j];
        gradient[j] = slope / count;
    }
    return value;
}

// A = P J, each half of the singular values.
AttentionFunction AttentionFit::taken_apart(std::span<const double> point,
                                            std::size_t dimensions) const {
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    AttentionFunction function = frame_;
    const auto rankers = static_cast<Eigen::Index>(frame_.base.size());
    const auto features = static_cast<Eigen::Index>(frame_.features.size());
    const Eigen::MatrixXd all = Eigen::Map<const Matrix>(point.data(), rankers, features);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(all, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const auto kept =
        std::min<Eigen::Index>(static_cast<Eigen::Index>(dimensions), svd.singularValues().size());
    const Eigen::VectorXd roots = svd.singularValues().head(kept).cwiseSqrt();
    const Matrix left = svd.matrixU().leftCols(kept) * roots.asDiagonal();
    const Matrix right = roots.asDiagonal() * svd.matrixV().leftCols(kept).transpose();
    function.dimensions = static_cast<std::size_t>(kept);
    function.rankers.assign(left.data(), left.data() + left.size());
    function.matrix.assign(right.data(), right.data() + right.size());
    function.offset.assign(function.dimensions, 0);
    return function;
}

AttentionFunction AttentionFit::function(std::size_t dimensions) const {
    return taken_apart(point_, dimensions);
}

std::string AttentionFit::minimise(
    const AttentionFitOptions& options, Executor& executor,
    const std::function<bool(double, const AttentionFunction&)>& record) {
    return minimise_quasi_newton(
        [&](std::span<const double> point, std::span<double> gradient) {
            return value(point, options.shrink, executor, gradient);
        },
        point_, {.iterations = options.iterations, .tolerance = options.tolerance},
        [&](double value, const std::vector<double>& point) {
            point_ = point;
            return record(value, taken_apart(point, options.dimensions));
        });
}

}  // namespace braid
