// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/error.h"

namespace braid {

struct NonnegativeSolution {
    std::vector<double> values;
    double violation = 0;  ///< Largest violation, relative to the largest |linear|.
    std::size_t passes = 0;
};

/// minimise 1/2 w' Q w - linear . w over w >= 0, Q positive semidefinite, row by row. Updates
/// coordinates one after the other, and every ten passes all positive ones at once. Ends at a
/// violation of `tolerance`, or after `passes`.
NonnegativeSolution solve_nonnegative(std::span<const double> quadratic,
                                      std::span<const double> linear, double tolerance = 1e-10,
                                      std::size_t passes = 10000);

// The quadratic program of ser and sser. docs/algorithms/ser.md (5) to (8).

/// minimise 1/2 w' M w + C sum_i max(0, 1 - b_i . w) over w >= 0.
struct MarginProgram {
    std::size_t width = 0;
    std::span<const double> margins;       ///< b: rows of `width`.
    std::span<const double> inverse = {};  ///< M^-1, width x width; empty: M is the identity.
    double cost = 1;                       ///< C

    std::size_t rows() const { return width == 0 ? 0 : margins.size() / width; }
};

/// Its dual solution, from which a similar program can start.
struct MarginDuals {
    std::vector<double> alpha;  ///< One a row of b, in [0, C].
    std::vector<double> eta;    ///< One a weight, >= 0.

    bool operator==(const MarginDuals&) const = default;
};

struct MarginSolution {
    std::vector<double> weights;
    MarginDuals duals;
    double violation = 0;  ///< Largest violation of (8).
    std::size_t passes = 0;
};

/// Coordinate ascent on the dual, finished by solving for the free variables at once. `start` may
/// be empty. Ends at a violation of `tolerance`, or after `passes`.
MarginSolution solve_margins(const MarginProgram& program, const MarginDuals& start,
                             double tolerance = 1e-9, std::size_t passes = 20000);

/// The largest violation of (8) by a point with w = M^-1 (b' alpha + eta).
double margin_violation(const MarginProgram& program, std::span<const double> weights,
                        const MarginDuals& duals);

}  // namespace braid
