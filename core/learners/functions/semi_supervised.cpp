// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/functions/semi_supervised.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/learners/functions/ranking_function.h"
#include "braid/core/learners/solvers/margin_qp.h"

// Equations are those of docs/algorithms/ser.md.

namespace braid {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

constexpr double kTolerance = 1e-9;

void check_finite(const char* what, std::span<const double> values) {
    for (const double value : values) {
        if (std::isfinite(value)) continue;
        throw InvalidArgument(fmt::format(
            "semi-supervised weights: \"{}\" holds {}, expected finite numbers", what, value));
    }
}

void check_size(const char* what, std::size_t size, std::size_t unit) {
    if (unit > 0 && size % unit == 0) return;
    throw InvalidArgument(fmt::format(
        "semi-supervised weights: {} numbers \"{}\", expected a multiple of {}", size, what, unit));
}

// S: 1 where one of two documents is among the other's nearest.
Eigen::MatrixXd neighbour_graph(const Matrix& places, std::size_t neighbours) {
    const Index size = places.rows();
    const Eigen::VectorXd squares = places.rowwise().squaredNorm();
    Eigen::MatrixXd distances = -2 * (places * places.transpose());
    distances.rowwise() += squares.transpose();
    distances.colwise() += squares;
    Eigen::MatrixXd graph = Eigen::MatrixXd::Zero(size, size);
    std::vector<Index> others;
    for (Index d = 0; d < size; ++d) {
        others.clear();
        for (Index other = 0; other < size; ++other) {
            if (other != d) others.push_back(other);
        }
        const std::size_t count = std::min(neighbours, others.size());
        // Column d: distances are symmetric up to rounding, and columns are contiguous.
        const auto is_nearer = [&](Index a, Index b) {
            return distances(a, d) != distances(b, d) ? distances(a, d) < distances(b, d) : a < b;
        };
        std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count),
                         others.end(), is_nearer);
        for (std::size_t i = 0; i < count; ++i) {
            graph(others[i], d) = 1;
            graph(d, others[i]) = 1;
        }
    }
    return graph;
}

}  // namespace

std::vector<double> neighbour_form(std::span<const double> rows, std::size_t rankers,
                                   std::span<const double> features, std::size_t neighbours) {
    std::vector<double> result(rankers * rankers, 0);
    const std::size_t documents = rows.size() / rankers;
    if (documents < 2) return result;
    const std::span<const double> places = features.empty() ? rows : features;
    const auto size = static_cast<Index>(documents);
    const Eigen::Map<const Matrix> scores(rows.data(), size, static_cast<Index>(rankers));
    const Eigen::MatrixXd graph =
        neighbour_graph(Eigen::Map<const Matrix>(places.data(), size,
                                                 static_cast<Index>(places.size() / documents)),
                        neighbours);
    const Eigen::VectorXd roots = graph.rowwise().sum().cwiseSqrt();
    Matrix scaled = scores;
    for (Index d = 0; d < size; ++d) scaled.row(d) /= roots(d);
    Matrix summed = Matrix::Zero(size, scores.cols());
    for (Index d = 0; d < size; ++d) {
        for (Index other = 0; other < size; ++other) {
            if (graph(other, d) > 0) summed.row(d) += scaled.row(other);
        }
    }
    Eigen::Map<Matrix> form(result.data(), scores.cols(), scores.cols());
    form = scores.transpose() * scores - scaled.transpose() * summed;
    form = (0.5 * (form + form.transpose())).eval();
    return result;
}

std::vector<double> semi_supervised_weights(const SemiSupervisedFunction& function,
                                            std::span<const double> rows,
                                            std::span<const double> features) {
    const std::size_t rankers = function.base.size();
    check_size("rows", rows.size(), rankers);
    check_finite("rows", rows);
    check_finite("features", features);
    const std::size_t documents = rows.size() / rankers;
    if (!features.empty()) check_size("features", features.size(), documents);
    if (function.gamma == 0 || documents < 2) return function.base;
    const std::vector<double> form = neighbour_form(rows, rankers, features, function.neighbours);
    const auto width = static_cast<Index>(rankers);
    const Matrix penalty = Matrix::Identity(width, width) +
                           function.gamma * Eigen::Map<const Matrix>(form.data(), width, width);
    std::vector<double> inverse(rankers * rankers);
    Eigen::Map<Matrix>(inverse.data(), width, width) =
        penalty.llt().solve(Matrix::Identity(width, width));
    const MarginSolution solution = solve_margins(
        {.width = rankers, .margins = function.margins, .inverse = inverse, .cost = function.cost},
        {function.alpha, function.eta}, kTolerance);
    std::vector<double> weights = solution.weights;
    for (double& weight : weights) weight = std::max(weight, 0.0);
    scale_to_sum_one(weights);
    const bool is_usable =
        std::any_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
    return is_usable ? weights : function.base;
}

void validate(const SemiSupervisedFunction& function) {
    const std::size_t rankers = function.base.size();
    if (rankers == 0) throw InvalidArgument("semi-supervised weights: no rankers");
    check_size("margins", function.margins.size(), rankers);
    check_finite("base", function.base);
    check_finite("margins", function.margins);
    check_finite("alpha", function.alpha);
    check_finite("eta", function.eta);
    if (function.alpha.size() != function.margins.size() / rankers ||
        function.eta.size() != rankers) {
        throw InvalidArgument(
            fmt::format("semi-supervised weights: {} alpha and {} eta, expected {} and {}",
                        function.alpha.size(), function.eta.size(),
                        function.margins.size() / rankers, rankers));
    }
    if (!(function.cost > 0) || !(function.gamma >= 0) || !std::isfinite(function.cost) ||
        !std::isfinite(function.gamma) || function.neighbours == 0) {
        throw InvalidArgument(
            fmt::format("semi-supervised weights: cost {}, gamma {} and {} neighbours, expected a "
                        "cost above 0, a gamma from 0 up and at least one",
                        function.cost, function.gamma, function.neighbours));
    }
}

}  // namespace braid
