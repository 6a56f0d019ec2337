// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "braid/core/learn/losses/linear_risk.h"
#include "braid/error.h"

namespace braid {

/// The quadratic programme of a bundle method: the minimum over w (w >= 0 if asked) of 1/2 |w|^2 +
/// c max_i (slope_i . w + offset_i), by its dual; docs/algorithms/bundle.md (3) to (7). Keeps its
/// multipliers between calls. Starts with a cut of 0.
class CutModel {
  public:
    CutModel(std::size_t width, bool non_negative);

    /// Every cut must be a lower bound of the function to minimise. O(cuts x width).
    void add(std::span<const double> slope, double offset);

    /// Raises the dual until its gap to the programme's value is at most `accuracy`, or no step
    /// raises it. The result is a lower bound of the programme for any accuracy. A call with
    /// another c scales the multipliers.
    double maximise(double c, double accuracy);

    /// The programme's minimiser for the current multipliers.
    const std::vector<double>& weights() const { return weights_; }
    std::size_t size() const { return offsets_.size(); }
    const std::vector<double>& multipliers() const { return multipliers_; }

    /// Drops cuts without a multiplier in the last `calls` calls of maximise.
    void drop_idle(std::size_t calls);

  private:
    std::span<const double> slope(std::size_t i) const {
        return {slopes_.data() + i * width_, width_};
    }
    void weigh();
    bool step();
    void move(std::size_t from, std::size_t to, double amount);
    void remove(std::size_t i);

    std::size_t width_;
    bool non_negative_;
    double c_ = 0;
    std::vector<double> slopes_;                 // size() x width_
    std::vector<std::vector<double>> products_;  // Dot products of slopes; row i has i + 1 columns.
    std::vector<double> offsets_;
    std::vector<double> multipliers_;  // Sum c_.
    std::vector<std::size_t> idle_;
    std::vector<double> sums_;     // -sum_i multiplier_i slope_i
    std::vector<double> weights_;  // sums_, its positive part where asked
    std::vector<double> heights_;  // slope_i . weights_ + offset_i
};

struct BundleOptions {
    double c = 1;
    double tolerance = 1e-3;  ///< Ends if the gap is at most this share of the objective.
    std::size_t iterations = 1000;
};

/// The state of the method.
struct BundleState {
    std::vector<double> weights;
    double objective = 0;  ///< 1/2 |w|^2 + c R(w)
    double bound = 0;      ///< No weights have a smaller objective.
    std::size_t iterations = 0;
    bool converged = false;
};

/// Minimises 1/2 |w|^2 + c R(w), over w >= 0 if asked, by cutting planes and exact line searches;
/// docs/algorithms/bundle.md. Cuts are of R alone, so a second call with another c reuses all of
/// the first. Borrows the risk.
class Bundle {
  public:
    Bundle(const LinearRisk& risk, bool non_negative);

    /// Starts at `start` (if empty, where the last call ended; at first at 0). Calls `record` with
    /// the state after every iteration, the start being number 0; it returns whether to continue.
    BundleState minimise(const BundleOptions& options, std::vector<double> start = {},
                         const std::function<bool(const BundleState&)>& record = {});

    std::size_t cuts() const { return model_.size(); }

  private:
    struct Point {
        std::vector<double> weights;
        std::vector<double> scores;
        std::vector<double> slopes;
        double risk = 0;
        double objective = 0;
    };

    Point point_at(std::vector<double> weights) const;
    void evaluate(Point& point) const;
    void add_cut(const Point& point);
    Point search(const Point& from, const Point& to) const;
    double slope_along(const Point& at, const Point& from, const Point& to) const;
    Point between(const Point& from, const Point& to, double share) const;

    const LinearRisk& risk_;
    bool non_negative_;
    CutModel model_;
    double c_ = 1;
    Point best_;
};

}  // namespace braid
