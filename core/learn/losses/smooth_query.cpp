// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_query.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Dense>

#include "braid/core/learn/losses/linear_risk.h"
#include "braid/core/model/ranking_function.h"

namespace braid {

// Equations are those of docs/algorithms/smooth-measures.md.

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMatrix = Eigen::Map<const Matrix>;

// What one relevant document adds at position r, and its first two derivatives.
struct Worth {
    double value;
    double slope;
    double curvature;
};

Worth reciprocal(double r) { return {1 / r, -1 / (r * r), 2 / (r * r * r)}; }

Worth discount(double r) {
    const double x = 1 + r;
    const double natural = std::log(x);
    const double base = std::numbers::ln2;
    const double slope = -base / (natural * natural * x);
    return {base / natural, slope, -slope * (1 + 2 / natural) / x};
}

ConstMatrix matrix_of(std::span<const double> values, std::size_t width) {
    return {values.data(), static_cast<Eigen::Index>(values.size() / width),
            static_cast<Eigen::Index>(width)};
}

}  // namespace

void SmoothQuery::place(std::size_t query, std::span<const double> weights, SmoothOrder order) {
    const TrainingSet& set = measure_.set();
    const SmoothOptions& options = measure_.options();
    z_.resize(set.pool_size(query));
    weighted_sums(set.query_scores(query), weights, z_);
    for (double& z : z_) z *= options.beta;
    pool_ = {z_, set.query_scores(query), set.width(), measure_.prepared_[query].targets,
             options.window};
    pairs_.gather(pool_, order, sums_);
    positions_.resize(pool_.targets.size());
    // The document itself has s(0) = 1/2 in its sum.
    for (std::size_t j = 0; j < positions_.size(); ++j) positions_[j] = 0.5 + sums_.position[j];
}

const std::vector<double>& SmoothQuery::positions(std::size_t query,
                                                  std::span<const double> weights) {
    place(query, weights, SmoothOrder::kValue);
    return positions_;
}

// (3). Equal scores keep the order of the rows.
void SmoothQuery::find_shares(const Query& query) {
    if (!query.gains.empty()) {
        shares_ = query.gains;
        return;
    }
    const std::vector<std::uint32_t>& targets = query.targets;
    order_.resize(targets.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return z_[targets[a]] > z_[targets[b]];
    });
    shares_.assign(targets.size(), 0);
    for (const SmoothMeasure::Level& level : query.levels) {
        double found = 0;
        for (const std::uint32_t j : order_) {
            if (query.grades[j] >= level.from) shares_[j] += ++found * level.share;
        }
    }
}

double SmoothQuery::weigh_positions(const Query& query) {
    const bool is_discount = !query.gains.empty();
    double value = 0;
    factors_.resize(shares_.size());
    bends_.resize(shares_.size());
    for (std::size_t j = 0; j < shares_.size(); ++j) {
        const Worth worth = is_discount ? discount(positions_[j]) : reciprocal(positions_[j]);
        value += shares_[j] * worth.value;
        factors_[j] = shares_[j] * worth.slope;
        bends_[j] = shares_[j] * worth.curvature;
    }
    return value;
}

// (6), (7)
void SmoothQuery::add_gradient(SmoothOrder order, SmoothPoint& sum) {
    slopes_.assign(z_.size(), 0);
    curvatures_.assign(z_.size(), 0);
    pairs_.spread(pool_, order, factors_, slopes_, curvatures_);
    for (std::size_t j = 0; j < factors_.size(); ++j) {
        slopes_[pool_.targets[j]] -= factors_[j] * sums_.slope[j];
    }
    const double beta = measure_.options().beta;
    const std::size_t width = pool_.width;
    const double* row = pool_.rows.data();
    for (const double slope : slopes_) {
        if (slope != 0) {
            const double factor = beta * slope;
            for (std::size_t k = 0; k < width; ++k) sum.gradient[k] += factor * row[k];
        }
        row += width;
    }
}

// (8)
void SmoothQuery::add_hessian(SmoothPoint& sum) {
    const std::size_t width = pool_.width;
    const double square = measure_.options().beta * measure_.options().beta;
    const ConstMatrix rows = matrix_of(pool_.rows, width);
    const ConstMatrix slope_rows = matrix_of(sums_.slope_rows, width);
    const ConstMatrix curvature_rows = matrix_of(sums_.curvature_rows, width);
    Matrix hessian = Matrix::Zero(rows.cols(), rows.cols());
    // One row a ranker: its scores times the documents' curvatures.
    products_.resize(width * curvatures_.size());
    for (std::size_t d = 0; d < curvatures_.size(); ++d) {
        for (std::size_t k = 0; k < width; ++k) {
            products_[k * curvatures_.size() + d] = curvatures_[d] * pool_.rows[d * width + k];
        }
    }
    add_row_products(products_.data(), curvatures_.size(), width, pool_.rows, width,
                     hessian.data());
    for (std::size_t j = 0; j < factors_.size(); ++j) {
        const auto i = static_cast<Eigen::Index>(j);
        const Eigen::VectorXd x = rows.row(static_cast<Eigen::Index>(pool_.targets[j]));
        const Eigen::VectorXd slope = slope_rows.row(i).transpose() - sums_.slope[j] * x;
        const Eigen::VectorXd bend = factors_[j] * curvature_rows.row(i).transpose();
        hessian += bends_[j] * slope * slope.transpose();
        hessian -= bend * x.transpose() + x * bend.transpose();
        hessian += factors_[j] * sums_.curvature[j] * x * x.transpose();
    }
    for (std::size_t k = 0; k < width; ++k) {
        for (std::size_t l = 0; l < width; ++l) {
            // Products add in another order on either side of the diagonal.
            const auto low = static_cast<Eigen::Index>(std::min(k, l));
            const auto high = static_cast<Eigen::Index>(std::max(k, l));
            sum.hessian[k * width + l] += square * hessian(low, high);
        }
    }
}

void SmoothQuery::add(std::size_t query, std::span<const double> weights, SmoothOrder order,
                      SmoothPoint& sum) {
    const Query& prepared = measure_.prepared_[query];
    place(query, weights, order);
    find_shares(prepared);
    sum.value += weigh_positions(prepared);
    if (order == SmoothOrder::kValue) return;
    add_gradient(order, sum);
    if (order == SmoothOrder::kHessian) add_hessian(sum);
}

}  // namespace braid
