// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/band_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "braid/core/base/random.h"

namespace braid {
namespace {

// Vectors of values closer than this share of the norm are made orthogonal by hand; beyond it
// inverse iteration leaves them orthogonal to 1e-9.
constexpr double kCluster = 1e-6;

/// Schwarz's reduction of a band matrix to a tridiagonal one: each entry outside is rotated
/// away, and the entry that this makes further down is chased off the end.
class Reduction {
  public:
    explicit Reduction(SymmetricBand matrix) : a_(std::move(matrix)), n_(a_.size()) {}

    /// The tridiagonal matrix is similar to the one given.
    void run(Eigen::VectorXd& diagonal, Eigen::VectorXd& below) {
        for (std::size_t column = 0; column + 2 < n_; ++column) {
            for (std::size_t r = std::min(a_.width(), n_ - 1 - column); r >= 2; --r) {
                chase(column, column + r);
            }
        }
        diagonal.resize(static_cast<Eigen::Index>(n_));
        below.resize(static_cast<Eigen::Index>(n_ - 1));
        for (std::size_t i = 0; i < n_; ++i) {
            diagonal(static_cast<Eigen::Index>(i)) = a_.at(i, i);
            if (i + 1 < n_) {
                below(static_cast<Eigen::Index>(i)) = a_.width() == 0 ? 0 : a_.at(i + 1, i);
            }
        }
    }

  private:
    void chase(std::size_t column, std::size_t row) {
        double extra = a_.at(row, column);
        a_.at(row, column) = 0;
        for (;;) {
            double& pivot = a_.at(row - 1, column);
            if (extra == 0) return;
            const double length = std::sqrt(pivot * pivot + extra * extra);
            const double c = pivot / length;
            const double s = extra / length;
            pivot = length;
            rotate(column, row, c, s);
            const std::size_t next = row + a_.width();
            if (next >= n_) return;
            extra = s * a_.at(next, row);
            a_.at(next, row) *= c;
            column = row - 1;
            row = next;
        }
    }

    /// Rotates rows and columns row - 1 and row, right of `column`.
    void rotate(std::size_t column, std::size_t row, double c, double s) {
        const auto turn = [c, s](double& x, double& y) {
            const double old = x;
            x = c * old + s * y;
            y = c * y - s * old;
        };
        for (std::size_t l = column + 1; l + 1 < row; ++l) turn(a_.at(row - 1, l), a_.at(row, l));
        double& p = a_.at(row - 1, row - 1);
        double& q = a_.at(row, row - 1);
        double& r = a_.at(row, row);
        const double mixed = c * c * p + 2 * c * s * q + s * s * r;
        const double other = s * s * p - 2 * c * s * q + c * c * r;
        q = (c * c - s * s) * q + c * s * (r - p);
        p = mixed;
        r = other;
        const std::size_t last = std::min(n_ - 1, row - 1 + a_.width());
        for (std::size_t l = row + 1; l <= last; ++l) turn(a_.at(l, row - 1), a_.at(l, row));
    }

    SymmetricBand a_;
    std::size_t n_;
};

/// Triangular factors of matrix - shift, with row exchanges.
class ShiftedFactors {
  public:
    explicit ShiftedFactors(const SymmetricBand& matrix)
        : matrix_(matrix),
          n_(matrix.size()),
          width_(matrix.width()),
          stride_(3 * width_ + 1),
          smallest_pivot_(std::numeric_limits<double>::epsilon() * matrix.largest()),
          rows_(n_ * stride_),
          exchanged_(n_) {}

    void factor(double shift) {
        load(shift);
        for (std::size_t k = 0; k < n_; ++k) {
            const std::size_t last = std::min(n_ - 1, k + width_);
            std::size_t best = k;
            for (std::size_t i = k + 1; i <= last; ++i) {
                if (std::abs(*at(i, k)) > std::abs(*at(best, k))) best = i;
            }
            exchanged_[k] = best;
            const std::size_t end = std::min(n_, k + 2 * width_ + 1);
            if (best != k) std::swap_ranges(at(k, k), at(k, k) + (end - k), at(best, k));
            double& pivot = *at(k, k);
            // The shift is an eigenvalue, so that some pivot vanishes: that is the point.
            if (std::abs(pivot) < smallest_pivot_) pivot = smallest_pivot_;
            for (std::size_t i = k + 1; i <= last; ++i) {
                double* to = at(i, k);
                const double* from = at(k, k);
                const double factor = *to / pivot;
                *to = factor;
                if (factor == 0) continue;
                for (std::size_t c = 1; c < end - k; ++c) to[c] -= factor * from[c];
            }
        }
    }

    /// x <- (matrix - shift)^-1 x
    void solve(double* x) const {
        for (std::size_t k = 0; k < n_; ++k) {
            std::swap(x[k], x[exchanged_[k]]);
            const std::size_t last = std::min(n_ - 1, k + width_);
            for (std::size_t i = k + 1; i <= last; ++i) x[i] -= *at(i, k) * x[k];
        }
        for (std::size_t k = n_; k-- > 0;) {
            const std::size_t end = std::min(n_, k + 2 * width_ + 1);
            const double* from = at(k, k);
            for (std::size_t c = 1; c < end - k; ++c) x[k] -= from[c] * x[k + c];
            x[k] /= from[0];
        }
    }

  private:
    // Row i holds the columns i - width .. i + 2 width.
    double* at(std::size_t i, std::size_t column) {
        return rows_.data() + i * stride_ + (column + width_ - i);
    }
    const double* at(std::size_t i, std::size_t column) const {
        return rows_.data() + i * stride_ + (column + width_ - i);
    }

    void load(double shift) {
        std::fill(rows_.begin(), rows_.end(), 0.0);
        for (std::size_t column = 0; column < n_; ++column) {
            const std::size_t last = std::min(n_ - 1, column + width_);
            for (std::size_t row = column; row <= last; ++row) {
                *at(row, column) = matrix_.at(row, column);
                *at(column, row) = matrix_.at(row, column);
            }
            *at(column, column) -= shift;
        }
    }

    const SymmetricBand& matrix_;
    std::size_t n_;
    std::size_t width_;
    std::size_t stride_;
    double smallest_pivot_;
    std::vector<double> rows_;
    std::vector<std::size_t> exchanged_;
};

double dot_of(const double* a, const double* b, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// Makes `x` a unit vector orthogonal to the vectors first .. last - 1 of `pairs`; returns the
/// length it had left.
double orthonormalise(const Eigenpairs& pairs, std::size_t first, std::size_t last, double* x,
                      std::size_t n) {
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
    if (!(largest > 0) || !std::isfinite(largest)) return 0;
    for (std::size_t i = 0; i < n; ++i) x[i] /= largest;
    const double before = std::sqrt(dot_of(x, x, n));
    for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t other = first; other < last; ++other) {
            const double* y = pairs.vector(other, n);
            const double share = dot_of(x, y, n);
            for (std::size_t i = 0; i < n; ++i) x[i] -= share * y[i];
        }
    }
    const double after = std::sqrt(dot_of(x, x, n));
    for (std::size_t i = 0; i < n; ++i) x[i] /= after;
    return after / before;
}

void find_vectors(const SymmetricBand& matrix, Eigenpairs& pairs) {
    const std::size_t n = matrix.size();
    ShiftedFactors factors(matrix);
    Random random;
    pairs.vectors.resize(pairs.values.size() * n);
    std::size_t cluster = 0;
    for (std::size_t k = 0; k < pairs.values.size(); ++k) {
        if (k > 0 && pairs.values[k - 1] - pairs.values[k] > kCluster * pairs.values[0]) {
            cluster = k;
        }
        factors.factor(pairs.values[k]);
        double* x = pairs.vectors.data() + k * n;
        // A start may happen to lie along the vectors found already; the next one won't.
        for (int start = 0; start < 5; ++start) {
            for (std::size_t i = 0; i < n; ++i) x[i] = 2 * random.uniform() - 1;
            double left = 0;
            for (int step = 0; step < 2; ++step) {
                factors.solve(x);
                left = orthonormalise(pairs, cluster, k, x, n);
            }
            if (left > 0.1) break;
        }
    }
}

}  // namespace

double SymmetricBand::get(std::size_t row, std::size_t column) const {
    if (row < column) std::swap(row, column);
    return row - column > width_ ? 0 : at(row, column);
}

double SymmetricBand::largest() const {
    double result = 0;
    for (const double value : values_) result = std::max(result, std::abs(value));
    return result;
}

Eigenpairs leading_eigenpairs(const SymmetricBand& matrix, std::size_t count, double floor) {
    Eigenpairs pairs;
    if (matrix.size() == 0 || count == 0) return pairs;
    Eigen::VectorXd diagonal;
    Eigen::VectorXd below;
    Reduction(matrix).run(diagonal, below);
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(diagonal, below, Eigen::EigenvaluesOnly);
    const Eigen::VectorXd& values = solver.eigenvalues();
    for (Eigen::Index i = values.size(); i-- > 0 && pairs.values.size() < count;) {
        if (values(i) <= floor * values(values.size() - 1) || !(values(i) > 0)) break;
        pairs.values.push_back(values(i));
    }
    find_vectors(matrix, pairs);
    return pairs;
}

}  // namespace braid
