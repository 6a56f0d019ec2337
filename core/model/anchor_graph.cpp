// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/anchor_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

// Equations are those of docs/algorithms/fusion.md.

namespace braid {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Documents that lie somewhere, ascending.
std::vector<std::size_t> placed_documents(std::span<const double> features, std::size_t documents,
                                          bool zero_is_nowhere) {
    const std::size_t width = features.size() / documents;
    std::vector<std::size_t> placed;
    for (std::size_t d = 0; d < documents; ++d) {
        const std::span<const double> own = features.subspan(d * width, width);
        if (!zero_is_nowhere ||
            std::any_of(own.begin(), own.end(), [](double x) { return x != 0; }))
            placed.push_back(d);
    }
    return placed;
}

std::vector<std::size_t> best_of(std::span<const double> scores, std::vector<std::size_t> order,
                                 std::size_t count) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    order.resize(std::min(count, order.size()));
    return order;
}

// One document's row of Z: (6).
void tie_to_nearest(std::span<const double> distances, std::size_t neighbours,
                    std::vector<std::size_t>& nearest, Eigen::Ref<Eigen::RowVectorXd> ties) {
    nearest.resize(distances.size());
    std::iota(nearest.begin(), nearest.end(), std::size_t{0});
    neighbours = std::min(neighbours, nearest.size());
    const auto is_nearer = [&](std::size_t a, std::size_t b) {
        return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
    };
    std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(neighbours),
                      nearest.end(), is_nearer);
    nearest.resize(neighbours);
    double width = 0;
    for (const std::size_t j : nearest) width += distances[j] / static_cast<double>(neighbours);
    double sum = 0;
    for (const std::size_t j : nearest) {
        const double tie = width > 0 ? std::exp(-distances[j] / width) : 1;
        ties(static_cast<Eigen::Index>(j)) = tie;
        sum += tie;
    }
    ties /= sum;  // The nearest is no further than `width`, so its tie is 1/e or more.
}

Matrix ties_to_anchors(std::span<const double> features, std::size_t documents,
                       const std::vector<std::size_t>& placed,
                       const std::vector<std::size_t>& anchors, std::size_t neighbours) {
    const std::size_t width = features.size() / documents;
    // Squares of huge features would leave the range of a double.
    double largest = 0;
    for (const double feature : features) largest = std::max(largest, std::abs(feature));
    const double unit = largest > 0 ? largest : 1;
    Matrix ties = Matrix::Zero(static_cast<Eigen::Index>(documents),
                               static_cast<Eigen::Index>(anchors.size()));
    std::vector<double> distances(anchors.size());
    std::vector<std::size_t> nearest;
    for (const std::size_t d : placed) {
        for (std::size_t j = 0; j < anchors.size(); ++j) {
            double sum = 0;
            for (std::size_t f = 0; f < width; ++f) {
                const double step =
                    features[d * width + f] / unit - features[anchors[j] * width + f] / unit;
                sum += step * step;
            }
            distances[j] = sum;
        }
        tie_to_nearest(distances, neighbours, nearest, ties.row(static_cast<Eigen::Index>(d)));
    }
    return ties;
}

}  // namespace

void smooth_over_anchors(std::span<const double> features, const AnchorGraphOptions& options,
                         double alpha, std::span<double> scores) {
    if (scores.empty()) return;
    const std::vector<std::size_t> placed =
        placed_documents(features, scores.size(), options.zero_is_nowhere);
    if (placed.empty()) return;
    const std::vector<std::size_t> anchors = best_of(scores, placed, options.anchors);
    Matrix ties = ties_to_anchors(features, scores.size(), placed, anchors, options.neighbours);
    for (Eigen::Index j = 0; j < ties.cols(); ++j) {  // (7)
        const double sum = ties.col(j).sum();
        if (sum > 0) ties.col(j) /= std::sqrt(sum);
    }
    Eigen::Map<Eigen::VectorXd> y(scores.data(), static_cast<Eigen::Index>(scores.size()));
    const Matrix system =
        Matrix::Identity(ties.cols(), ties.cols()) - alpha * (ties.transpose() * ties);
    const Eigen::VectorXd inner = system.llt().solve(ties.transpose() * y);
    const Eigen::VectorXd smooth = (1 - alpha) * (y + alpha * (ties * inner));  // (9)
    for (const std::size_t d : placed) scores[d] = smooth(static_cast<Eigen::Index>(d));
}

}  // namespace braid
