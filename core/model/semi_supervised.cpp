// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/semi_supervised.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <fmt/format.h>

#include "braid/core/base/quadratic_program.h"
#include "braid/core/model/ranking_function.h"
#include "braid/error.h"

// Equations are those of docs/algorithms/ser.md.

namespace braid {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

constexpr double kTolerance = 1e-9;

template <typename Values>
void check_finite_scores(const char* what, const Values& values) {
    for (const auto value : values) {
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

// Those whose features are not all zero: without any a document is not near to others without.
std::vector<Index> placed_documents(std::span<const float> features, std::size_t documents) {
    const std::size_t width = features.size() / documents;
    std::vector<Index> placed;
    for (std::size_t d = 0; d < documents; ++d) {
        const std::span<const float> own = features.subspan(d * width, width);
        const bool is_placed = std::any_of(own.begin(), own.end(), [](float x) { return x != 0; });
        if (is_placed) placed.push_back(static_cast<Index>(d));
    }
    return placed;
}

// The nearest so far, the nearest first; of equals the one found first.
class Nearest {
  public:
    explicit Nearest(std::size_t count) : count_(count) {}

    void offer(double distance, Index document) {
        if (found_.size() == count_ && !(distance < found_.back().first)) return;
        if (found_.size() == count_) found_.pop_back();
        const auto place =
            std::upper_bound(found_.begin(), found_.end(), distance,
                             [](double value, const auto& other) { return value < other.first; });
        found_.insert(place, {distance, document});
    }

    const std::vector<std::pair<double, Index>>& found() const { return found_; }

  private:
    std::size_t count_;
    std::vector<std::pair<double, Index>> found_;
};

// S, the documents that each row of it has a 1 for: one of the two is among the other's nearest.
// Takes memory for the neighbours only, and looks at each pair of documents twice.
std::vector<std::vector<Index>> neighbour_graph(const Eigen::MatrixXd& places,
                                                std::size_t neighbours) {
    const Index size = places.rows();
    std::vector<std::vector<Index>> graph(static_cast<std::size_t>(size));
    Eigen::VectorXd distances(size);
    for (Index d = 0; d < size; ++d) {
        distances.setZero();
        for (Index k = 0; k < places.cols(); ++k) {
            distances.array() += (places.col(k).array() - places(d, k)).square();
        }
        Nearest nearest(std::min(neighbours, static_cast<std::size_t>(size - 1)));
        for (Index other = 0; other < size; ++other) {
            if (other != d) nearest.offer(distances(other), other);
        }
        for (const auto& [distance, other] : nearest.found()) {
            graph[static_cast<std::size_t>(d)].push_back(other);
            graph[static_cast<std::size_t>(other)].push_back(d);
        }
    }
    for (std::vector<Index>& row : graph) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    return graph;
}

}  // namespace

std::vector<double> neighbour_form(std::span<const double> rows, std::size_t rankers,
                                   std::span<const float> features, std::size_t neighbours) {
    std::vector<double> result(rankers * rankers, 0);
    const std::size_t documents = rows.size() / rankers;
    Matrix scores = Eigen::Map<const Matrix>(rows.data(), static_cast<Index>(documents),
                                             static_cast<Index>(rankers));
    Eigen::MatrixXd places = scores;
    if (!features.empty()) {
        const std::vector<Index> placed = placed_documents(features, documents);
        scores = scores(placed, Eigen::seqN(0, scores.cols())).eval();
        const Eigen::Map<const FloatRows> all(features.data(), static_cast<Index>(documents),
                                              static_cast<Index>(features.size() / documents));
        places = all(placed, Eigen::seqN(0, all.cols())).cast<double>();
    }
    const Index size = scores.rows();
    if (size < 2) return result;
    const std::vector<std::vector<Index>> graph = neighbour_graph(places, neighbours);
    Matrix scaled = scores;
    for (Index d = 0; d < size; ++d) {
        scaled.row(d) /= std::sqrt(static_cast<double>(graph[static_cast<std::size_t>(d)].size()));
    }
    Matrix summed = Matrix::Zero(size, scores.cols());
    for (Index d = 0; d < size; ++d) {
        for (const Index other : graph[static_cast<std::size_t>(d)]) {
            summed.row(d) += scaled.row(other);
        }
    }
    Eigen::Map<Matrix> form(result.data(), scores.cols(), scores.cols());
    form = scores.transpose() * scores - scaled.transpose() * summed;
    form = (0.5 * (form + form.transpose())).eval();
    return result;
}

std::vector<double> semi_supervised_weights(const SemiSupervisedFunction& function,
                                            std::span<const double> rows,
                                            std::span<const float> features) {
    const std::size_t rankers = function.base.size();
    check_size("rows", rows.size(), rankers);
    check_finite_scores("rows", rows);
    check_finite_scores("features", features);
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
    check_finite_scores("base", function.base);
    check_finite_scores("margins", function.margins);
    check_finite_scores("alpha", function.alpha);
    check_finite_scores("eta", function.eta);
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
