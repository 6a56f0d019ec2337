// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/learn/losses/linear_risk.h"

namespace braid {

/// The quadratic programme of a bundle method: the least over w (w >= 0 if asked) of
/// 1/2 |w|^2 + c max_i (slope_i . w + offset_i), by its dual; docs/algorithms/bundle.md (3) to (7).
/// Multipliers stay from one call to the next. With a cut 0 from the beginning.
class BRAID_API CutModel {
  public:
    CutModel(std::size_t width, bool non_negative);

    /// Every cut must be a lower bound of what is minimised. O(cuts x width).
    void add(std::span<const double> slope, double offset);

    /// Raises the dual until its distance to the programme's value is at most `accuracy`, or no
    /// step raises it. The result is a lower bound of the programme whatever the accuracy. A call
    /// with another c scales the multipliers.
    double maximise(double c, double accuracy);

    /// The programme's minimiser, for the multipliers there are.
    const std::vector<double>& weights() const { return weights_; }
    std::size_t size() const { return offsets_.size(); }
    const std::vector<double>& multipliers() const { return multipliers_; }

    /// Forgets cuts that have had no multiplier in the last `calls` calls of maximise.
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
    std::vector<std::vector<double>> products_;  // Of slopes; row i has i + 1 columns.
    std::vector<double> offsets_;
    std::vector<double> multipliers_;  // Sum c_.
    std::vector<std::size_t> idle_;
    std::vector<double> sums_;     // -sum_i multiplier_i slope_i
    std::vector<double> weights_;  // sums_, its positive part where asked
    std::vector<double> heights_;  // slope_i . weights_ + offset_i
};

struct BundleOptions {
    double c = 1;
    double tolerance = 1e-3;  ///< It ends where the gap is at most this part of the objective.
    std::size_t iterations = 1000;
};

/// Where the method stands.
struct BundleState {
    std::vector<double> weights;
    double objective = 0;  ///< 1/2 |w|^2 + c R(w)
    double bound = 0;      ///< No weights have a smaller objective.
    std::size_t iterations = 0;
    bool converged = false;
};

/// Minimises 1/2 |w|^2 + c R(w), over w >= 0 if asked, by cutting planes and exact line searches;
/// docs/algorithms/bundle.md. Cuts are of R alone, so a second call with another c begins with all
/// that the first one learned. Borrows the risk.
class BRAID_API Bundle {
  public:
    Bundle(const LinearRisk& risk, bool non_negative);

    /// Begins at `start` (or where the last call ended, if empty; at first at 0). `record` gets the
    /// state after every iteration, the start being the 0th, and says whether to go on.
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
