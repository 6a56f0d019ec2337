// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace braid {

/// A bound is attained up to rounding, and what it is compared with is added up in another order:
/// bounds are this much larger than their formulas say. Relative. Not installed.
inline constexpr double kRoundingShare = 1e-12;
inline constexpr double kRounding = 1 + kRoundingShare;

}  // namespace braid
