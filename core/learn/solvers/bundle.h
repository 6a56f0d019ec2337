// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <functional>
#include <vector>

#include "braid/core/learn/losses/linear_risk.h"
#include "braid/core/learn/solvers/cut_model.h"

namespace braid {

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
