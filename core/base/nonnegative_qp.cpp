// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/nonnegative_qp.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/QR>

namespace braid {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;
using Eigen::VectorXd;

// The others staying 0, the least over all values above 0, where all stay so.
void finish(const Matrix& quadratic, const VectorXd& linear, VectorXd& values) {
    std::vector<Index> free;
    for (Index k = 0; k < values.size(); ++k) {
        if (values(k) > 0) free.push_back(k);
    }
    const auto count = static_cast<Index>(free.size());
    if (count == 0) return;
    Matrix system(count, count);
    VectorXd right(count);
    for (Index a = 0; a < count; ++a) {
        right(a) = linear(free[static_cast<std::size_t>(a)]);
        for (Index b = 0; b < count; ++b) {
            system(a, b) =
                quadratic(free[static_cast<std::size_t>(a)], free[static_cast<std::size_t>(b)]);
        }
    }
    const VectorXd found = system.completeOrthogonalDecomposition().solve(right);
    if (!(found.minCoeff() >= 0)) return;
    for (Index a = 0; a < count; ++a) values(free[static_cast<std::size_t>(a)]) = found(a);
}

double violation(const Matrix& quadratic, const VectorXd& linear, const VectorXd& values) {
    const double unit = linear.cwiseAbs().maxCoeff();
    if (!(unit > 0)) return 0;
    const VectorXd slopes = linear - quadratic * values;
    double worst = 0;
    for (Index k = 0; k < values.size(); ++k) {
        const double breach = values(k) > 0 ? std::abs(slopes(k)) : std::max(slopes(k), 0.0);
        worst = std::max(worst, breach / unit);
    }
    return worst;
}

}  // namespace

NonnegativeSolution solve_nonnegative(std::span<const double> quadratic,
                                      std::span<const double> linear, double tolerance,
                                      std::size_t passes) {
    const auto size = static_cast<Index>(linear.size());
    const Eigen::Map<const Matrix> Q(quadratic.data(), size, size);
    const Eigen::Map<const VectorXd> c(linear.data(), size);
    VectorXd values = VectorXd::Zero(size);
    NonnegativeSolution result;
    for (std::size_t pass = 1; pass <= passes && size > 0; ++pass) {
        for (Index k = 0; k < size; ++k) {
            if (!(Q(k, k) > 0)) continue;  // Semidefinite: its row is 0, nothing depends on it.
            values(k) = std::max(0.0, values(k) + (c(k) - Q.row(k).dot(values)) / Q(k, k));
        }
        result.passes = pass;
        if (pass % 10 != 0 && pass != passes) continue;
        finish(Q, c, values);
        result.violation = violation(Q, c, values);
        if (result.violation <= tolerance) break;
    }
    result.values.assign(values.data(), values.data() + size);
    return result;
}

}  // namespace braid
