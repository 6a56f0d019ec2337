// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Dense>

#include "braid/core/base/vector_sums.h"

namespace braid {
namespace {

constexpr double kLeastCurvature = 1e-6;  // Of the largest.

Eigen::VectorXd direction(const Eigen::VectorXd& gradient, const Eigen::MatrixXd& hessian) {
    if (gradient.size() == 0) return gradient;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(hessian);
    const Eigen::VectorXd magnitudes = solver.eigenvalues().cwiseAbs();
    const double largest = magnitudes.maxCoeff();
    // Without any curvature only the gradient says where to go.
    if (!(largest > 0)) return gradient;
    const Eigen::VectorXd scale = magnitudes.cwiseMax(kLeastCurvature * largest).cwiseInverse();
    return solver.eigenvectors() *
           (scale.array() * (solver.eigenvectors().transpose() * gradient).array()).matrix();
}

Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}

Eigen::Map<const Eigen::MatrixXd> square_of(std::span<const double> values, std::size_t width) {
    const auto size = static_cast<Eigen::Index>(width);
    return {values.data(), size, size};
}

// Columns: an orthonormal basis of the vectors whose components sum to 0 (Helmert's).
Eigen::MatrixXd balanced_basis(Eigen::Index size) {
    Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(size, size - 1);
    for (Eigen::Index c = 0; c + 1 < size; ++c) {
        const auto n = static_cast<double>(c + 1);
        const double length = std::sqrt(n * (n + 1));
        basis.col(c).head(c + 1).setConstant(1 / length);
        basis(c + 1, c) = -n / length;
    }
    return basis;
}

std::vector<double> plain(const Eigen::VectorXd& vector) {
    return {vector.data(), vector.data() + vector.size()};
}

}  // namespace

std::vector<double> ascent_direction(std::span<const double> gradient,
                                     std::span<const double> hessian) {
    const Eigen::VectorXd g = vector_of(gradient);
    const Eigen::MatrixXd h = square_of(hessian, gradient.size());
    return plain(direction(g, h));
}

std::vector<double> balanced_ascent_direction(std::span<const double> gradient,
                                              std::span<const double> hessian) {
    const Eigen::MatrixXd basis = balanced_basis(static_cast<Eigen::Index>(gradient.size()));
    const Eigen::VectorXd g = basis.transpose() * vector_of(gradient);
    const Eigen::MatrixXd h = basis.transpose() * square_of(hessian, gradient.size()) * basis;
    return plain(basis * direction(g, h));
}

namespace {

constexpr std::size_t kMost = 20;

}  // namespace

void CurvatureMemory::add(std::vector<double> step, std::vector<double> change) {
    const double product = dot(step, change);
    if (!(product > 0)) return;
    pairs_.push_back({std::move(step), std::move(change), product});
    if (pairs_.size() > kMost) pairs_.pop_front();
}

void CurvatureMemory::add(const std::vector<double>& point, const std::vector<double>& gradient,
                          const std::vector<double>& next,
                          const std::vector<double>& next_gradient) {
    std::vector<double> step = next;
    std::vector<double> change = next_gradient;
    add_multiple(-1, point, step);
    add_multiple(-1, gradient, change);
    add(std::move(step), std::move(change));
}

std::vector<double> CurvatureMemory::direction(std::vector<double> gradient, double scale) const {
    std::vector<double> parts(pairs_.size(), 0);
    for (std::size_t i = pairs_.size(); i-- > 0;) {
        parts[i] = dot(pairs_[i].step, gradient) / pairs_[i].product;
        add_multiple(-parts[i], pairs_[i].change, gradient);
    }
    if (!pairs_.empty()) {
        const Pair& last = pairs_.back();
        scale = last.product / dot(last.change, last.change);
    }
    for (double& part : gradient) part *= scale;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const double part = dot(pairs_[i].change, gradient) / pairs_[i].product;
        add_multiple(parts[i] - part, pairs_[i].step, gradient);
    }
    for (double& part : gradient) part = -part;
    return gradient;
}

}  // namespace braid
