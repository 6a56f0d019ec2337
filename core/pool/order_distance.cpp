// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/order_distance.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "braid/core/base/error.h"

// Equations are those of docs/algorithms/ser.md.

namespace braid {
namespace {

using Eigen::Index;

// A - R, with A of (1) and R of (3).
Eigen::MatrixXd difference(std::span<const double> scores, std::span<const Grade> grades,
                           const AgreementOptions& options) {
    const auto size = static_cast<Index>(scores.size());
    const auto grade = [&](Index d) {
        return std::clamp<Grade>(grades[static_cast<std::size_t>(d)], 0, options.highest_grade);
    };
    const double tie = options.ties_are_half ? 0.5 : 0;
    Eigen::MatrixXd result(size, size);
    for (Index l = 0; l < size; ++l) {
        const double score = scores[static_cast<std::size_t>(l)];
        for (Index k = 0; k < size; ++k) {
            const double other = scores[static_cast<std::size_t>(k)];
            result(k, l) = k == l ? options.delta : other > score ? 1 : other < score ? 0 : tie;
        }
        const double places = result.col(l).sum();
        for (Index k = 0; k < size; ++k) {
            const double wanted =
                pair_weight(grade(k), grade(l), options) - pair_weight(grade(l), grade(k), options);
            result(k, l) = wanted - result(k, l) / places;
        }
    }
    return result;
}

}  // namespace

double order_distance(std::span<const double> scores, std::span<const Grade> grades,
                      const AgreementOptions& options, MatrixDistance distance) {
    if (scores.empty()) return 0;
    if (scores.size() > kMostMatrixDocuments) {
        throw InvalidArgument(
            fmt::format("{} documents of a query, expected at most {}: matrices of orders have a "
                        "row and a column for each",
                        scores.size(), kMostMatrixDocuments));
    }
    const Eigen::MatrixXd apart = difference(scores, grades, options);
    switch (distance) {
        case MatrixDistance::kColumnNorm:
            return apart.cwiseAbs().colwise().sum().maxCoeff();
        case MatrixDistance::kSpectralNorm: {
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> squares(apart.transpose() * apart,
                                                                         Eigen::EigenvaluesOnly);
            return std::sqrt(std::max(0.0, squares.eigenvalues().maxCoeff()));
        }
        case MatrixDistance::kFrobenius:
            break;
    }
    return apart.squaredNorm() / 2;
}

void similarities(std::span<double> distances, double lambda) {
    if (distances.empty()) return;
    const double least = *std::min_element(distances.begin(), distances.end());
    // Distances that differ by the rounding of their sums alone are one distance.
    const double rounding = 1e-12 * *std::max_element(distances.begin(), distances.end());
    double spread = 0;
    for (const double distance : distances) {
        spread += (distance - least) / static_cast<double>(distances.size());
    }
    for (double& distance : distances) {
        distance = spread > rounding ? std::exp(-(distance - least) / (lambda * spread)) : 1;
    }
}

}  // namespace braid
