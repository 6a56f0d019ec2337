// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/quadratic_program.h"

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

// Equations are those of docs/algorithms/ser.md.

namespace {

using Vector = Eigen::VectorXd;

constexpr std::size_t kPassesBetweenFinishes = 10;
constexpr double kNextToNothing = 1e-6;  // Of margins, which are to be 1.
constexpr double kVanished = 1e-12;
constexpr double kDependent = 1e-13;  // Of unit vectors.

// The dual variables in one row: alpha, then eta. Each has a vector c (b_i or a unit vector), the
// vector M^-1 c that w moves along, and c' M^-1 c.
class DualAscent {
  public:
    DualAscent(const MarginProgram& program, const MarginDuals& start)
        : rows_(static_cast<Index>(program.rows())),
          width_(static_cast<Index>(program.width)),
          cost_(program.cost),
          vectors_(Matrix::Zero(rows_ + width_, width_)),
          values_(Vector::Zero(rows_ + width_)) {
        vectors_.topRows(rows_) = Eigen::Map<const Matrix>(program.margins.data(), rows_, width_);
        vectors_.bottomRows(width_).setIdentity();
        if (program.inverse.empty()) {
            moves_ = vectors_;
        } else {
            moves_ = vectors_ * Eigen::Map<const Matrix>(program.inverse.data(), width_, width_);
        }
        squares_ = (vectors_.cwiseProduct(moves_)).rowwise().sum();
        for (Index i = 0; i < rows_ && start.alpha.size() == program.rows(); ++i) {
            values_(i) = std::clamp(start.alpha[static_cast<std::size_t>(i)], 0.0, cost_);
        }
        for (Index k = 0; k < width_ && start.eta.size() == program.width; ++k) {
            values_(rows_ + k) = std::max(start.eta[static_cast<std::size_t>(k)], 0.0);
        }
        weights_ = moves_.transpose() * values_;
    }

    void pass() {
        for (Index i = 0; i < values_.size(); ++i) {
            if (!(squares_(i) > 0)) {
                if (i < rows_) values_(i) = cost_;  // A row of zeros: its slack is 1 whatever w.
                continue;
            }
            const double slope = target(i) - vectors_.row(i).dot(weights_);
            const double moved = std::clamp(values_(i) + slope / squares_(i), 0.0, most(i));
            const double step = moved - values_(i);
            if (step == 0) continue;
            values_(i) = moved;
            weights_ += step * moves_.row(i).transpose();
        }
    }

    // Moves the variables between their bounds to where (8) holds for them, the others staying, or
    // to the first bound on the way; that variable stays there, and the rest move again. The dual
    // is concave: no part of such a step loses. Each round but the last fixes a variable.
    void finish() {
        for (;;) {
            weights_ = moves_.transpose() * values_;
            const std::vector<Index> free = between_bounds();
            if (free.empty()) return;
            const Step step = best_step(free);
            double share = step.longest;
            Index stopped = -1;
            for (std::size_t f = 0; f < free.size(); ++f) {
                const double part = step.direction(static_cast<Index>(f));
                const double room = part < 0 ? values_(free[f]) : most(free[f]) - values_(free[f]);
                if (part == 0 || room >= share * std::abs(part)) continue;
                share = room / std::abs(part);
                stopped = static_cast<Index>(f);
            }
            if (stopped < 0 && step.longest > 1) return;  // By rounding only: (15) meets one.
            for (std::size_t f = 0; f < free.size(); ++f) {
                values_(free[f]) += share * step.direction(static_cast<Index>(f));
            }
            if (stopped < 0) break;
            const Index bound = free[static_cast<std::size_t>(stopped)];
            values_(bound) = step.direction(stopped) < 0 ? 0 : most(bound);
        }
        weights_ = moves_.transpose() * values_;
    }

    MarginSolution solution() const {
        MarginSolution result;
        result.weights.assign(weights_.data(), weights_.data() + width_);
        // No row has a margin: what rounding left of weights of 0 must not be scaled up.
        const double longest = rows_ > 0 ? vectors_.topRows(rows_).cwiseAbs().maxCoeff() : 0;
        if (weights_.cwiseAbs().maxCoeff() * longest < kVanished) {
            result.weights.assign(result.weights.size(), 0);
        }
        result.duals.alpha.assign(values_.data(), values_.data() + rows_);
        result.duals.eta.assign(values_.data() + rows_, values_.data() + rows_ + width_);
        return result;
    }

  private:
    // At most one more than can be independent: a step by (15) fixes one of them.
    std::vector<Index> between_bounds() const {
        std::vector<Index> free;
        for (Index i = 0; i < values_.size(); ++i) {
            if (static_cast<Index>(free.size()) > width_) break;
            if (values_(i) > 0 && values_(i) < most(i)) free.push_back(i);
        }
        return free;
    }

    struct Step {
        Vector direction;
        double longest = 1;  // How much of it to take if no bound is met.
    };

    // (14) where the vectors are independent, else (15). Vectors are scaled to length 1, so that
    // dependence has no unit.
    Step best_step(const std::vector<Index>& free) const {
        const auto count = static_cast<Index>(free.size());
        Matrix chosen(count, width_);
        Matrix chosen_moves(count, width_);
        Vector gap(count);
        Vector unit(count);
        for (Index f = 0; f < count; ++f) {
            const Index i = free[static_cast<std::size_t>(f)];
            unit(f) = 1 / std::sqrt(squares_(i));
            chosen.row(f) = vectors_.row(i) * unit(f);
            chosen_moves.row(f) = moves_.row(i) * unit(f);
            gap(f) = (target(i) - vectors_.row(i).dot(weights_)) * unit(f);
        }
        const Matrix gram = chosen * chosen_moves.transpose();
        Eigen::CompleteOrthogonalDecomposition<Matrix> factors(count, count);
        factors.setThreshold(kDependent);
        factors.compute(gram);
        Step step;
        if (factors.rank() == count) {
            step.direction = factors.solve(gap);
        } else {
            const Matrix flat = factors.colsPermutation() *
                                factors.matrixZ().transpose().rightCols(count - factors.rank());
            const Vector gains = flat.transpose() * gap;
            const bool is_gain = gains.norm() > kVanished * gap.norm();
            step = {is_gain ? Vector(flat * gains) : Vector(flat.col(0)), HUGE_VAL};
        }
        step.direction.array() *= unit.array();
        return step;
    }

    double target(Index i) const { return i < rows_ ? 1 : 0; }
    double most(Index i) const { return i < rows_ ? cost_ : HUGE_VAL; }

    Index rows_;
    Index width_;
    double cost_;
    Matrix vectors_;
    Matrix moves_;
    Vector squares_;
    Vector values_;
    Vector weights_;
};

double largest_magnitude(std::span<const double> values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
}

// What is left to do at a bound that holds is none.
double breach(double value, double least, double most, double slope) {
    if (value <= least) return std::max(slope, 0.0);
    if (value >= most) return std::max(-slope, 0.0);
    return std::abs(slope);
}

}  // namespace

double margin_violation(const MarginProgram& program, std::span<const double> weights,
                        const MarginDuals& duals) {
    double worst = 0;
    for (std::size_t i = 0; i < program.rows(); ++i) {
        double margin = 0;
        for (std::size_t k = 0; k < program.width; ++k) {
            margin += program.margins[i * program.width + k] * weights[k];
        }
        worst = std::max(worst, breach(duals.alpha[i], 0, program.cost, 1 - margin));
    }
    // Weights have the unit of 1/b: measured by the largest they are as pure as margins. Where all
    // are 0 but for rounding, that is no measure.
    const double longest = largest_magnitude(program.margins);
    const double unit =
        std::max(largest_magnitude(weights), longest > 0 ? kNextToNothing / longest : 0);
    for (std::size_t k = 0; k < program.width; ++k) {
        const double slope = unit > 0 ? -weights[k] / unit : 0;
        worst = std::max(worst, breach(duals.eta[k], 0, HUGE_VAL, slope));
    }
    return worst;
}

MarginSolution solve_margins(const MarginProgram& program, const MarginDuals& start,
                             double tolerance, std::size_t passes) {
    DualAscent ascent(program, start);
    MarginSolution result;
    for (std::size_t pass = 1; pass <= passes; ++pass) {
        ascent.pass();
        if (pass % kPassesBetweenFinishes != 0 && pass != passes) continue;
        ascent.finish();
        result = ascent.solution();
        result.passes = pass;
        result.violation = margin_violation(program, result.weights, result.duals);
        if (result.violation <= tolerance) return result;
    }
    return result;
}

}  // namespace braid
