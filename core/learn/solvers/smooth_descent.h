// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "braid/core/learn/solvers/bundle.h"

namespace braid {

/// Minimises 1/2 |w|^2 + c R(w), over w >= 0 if asked, for an R with a gradient everywhere: limited
/// memory BFGS on the free weights, from w = 0. Ends with the same certificate as a Bundle, from
/// the curvature of the first term; docs/algorithms/bundle.md (10) to (12). If R has kinks, it
/// stops with the gap reached.
BRAID_API BundleState minimise_smooth(const LinearRisk& risk, const BundleOptions& options,
                                      bool non_negative,
                                      const std::function<bool(const BundleState&)>& record = {});

}  // namespace braid
