// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/ranker_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "braid/error.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

using List = std::vector<std::uint32_t>;

// A ranker's first documents of a query.
List top(const TrainingSet& set, std::size_t query, std::size_t ranker, std::size_t depth) {
    const std::size_t first = set.query_begin[query];
    List order(set.pool_size(query));
    std::iota(order.begin(), order.end(), 0U);
    const std::size_t count = std::min(depth, order.size());
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        const double score_a = set.row(first + a)[ranker];
        const double score_b = set.row(first + b)[ranker];
        if (score_a != score_b) return score_a > score_b;
        if (set.documents.empty() || set.documents[first + a] == set.documents[first + b]) {
            return a < b;
        }
        return set.documents[first + a] > set.documents[first + b];
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), before);
    order.resize(count);
    return order;
}

// (16) of one query; `seen` has a 0 for each document, and has them again after.
double distance(const List& a, const List& b, std::vector<std::uint8_t>& seen) {
    double sum = 0;
    double both = 0;
    for (std::size_t l = 0; l < a.size(); ++l) {
        both += seen[a[l]]++;
        both += seen[b[l]]++;
        const double either = 2 * static_cast<double>(l + 1) - both;
        sum += 1 - both / either;
    }
    for (std::size_t l = 0; l < a.size(); ++l) seen[a[l]] = seen[b[l]] = 0;
    return a.empty() ? 0 : sum / static_cast<double>(a.size());
}

void check_distances(std::span<const double> distances, std::size_t size) {
    if (size * size != distances.size()) {
        throw InvalidArgument(fmt::format("{} distances are no square matrix", distances.size()));
    }
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            const double one = distances[i * size + j];
            if (one >= 0 && std::isfinite(one) && one == distances[j * size + i]) continue;
            throw InvalidArgument(fmt::format(
                "distance {} of {} and {}, expected one from 0 up, the same both ways", one, i, j));
        }
    }
}

}  // namespace

std::vector<double> ranker_distances(const TrainingSet& set, std::size_t depth) {
    const std::size_t width = set.width();
    std::vector<double> result(width * width, 0);
    if (depth == 0) throw InvalidArgument("depth 0, expected a number of documents from 1 up");
    double queries = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        if (set.pool_size(q) == 0) continue;
        ++queries;
        std::vector<List> lists;
        for (std::size_t k = 0; k < width; ++k) lists.push_back(top(set, q, k, depth));
        std::vector<std::uint8_t> seen(set.pool_size(q), 0);
        for (std::size_t a = 0; a < width; ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                result[a * width + b] += distance(lists[a], lists[b], seen);
            }
        }
    }
    for (std::size_t a = 0; a < width; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            if (queries > 0) result[a * width + b] /= queries;
            result[b * width + a] = result[a * width + b];
        }
    }
    return result;
}

RankerMap map_rankers(std::span<const double> distances, std::size_t dimensions) {
    const auto size =
        static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(distances.size()))));
    check_distances(distances, size);
    RankerMap map{.dimensions = dimensions, .points = std::vector<double>(size * dimensions, 0)};
    if (size == 0) return map;
    const auto count = static_cast<Eigen::Index>(size);
    Eigen::MatrixXd products =
        Eigen::Map<const Eigen::MatrixXd>(distances.data(), count, count).cwiseAbs2() * -0.5;
    const Eigen::RowVectorXd means = products.colwise().mean();  // (17)
    const double mean = means.mean();
    products.rowwise() -= means;
    products.colwise() -= means.transpose();
    products.array() += mean;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
    double all = 0;
    double shown = 0;
    for (Eigen::Index i = 0; i < count; ++i) all += std::abs(solver.eigenvalues()(i));
    for (std::size_t axis = 0; axis < std::min(dimensions, size); ++axis) {
        const Eigen::Index i = count - 1 - static_cast<Eigen::Index>(axis);
        const double value = std::max(solver.eigenvalues()(i), 0.0);
        Eigen::VectorXd points = solver.eigenvectors().col(i) * std::sqrt(value);
        Eigen::Index largest = 0;
        points.cwiseAbs().maxCoeff(&largest);
        if (points(largest) < 0) points = -points;
        for (std::size_t k = 0; k < size; ++k) {
            map.points[k * dimensions + axis] = points(static_cast<Eigen::Index>(k));
        }
        shown += value;
    }
    if (all > 0) map.share = shown / all;
    return map;
}

}  // namespace braid
