// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <fmt/format.h>
#include <xapian.h>

namespace braid {

/// The largest weight that a source or a weight tells Xapian. Beyond it sums may be infinite, and
/// Xapian drops what isn't a number without a word. Not installed.
inline constexpr double kMostBound = 1e300;

/// `bound` of the scores of `name`. Throws Xapian::InvalidArgumentError for more than kMostBound,
/// infinity and NaN: weights, parameters and statistics may come from bytes that someone sent.
inline double possible_bound(double bound, const std::string& name) {
    if (bound <= kMostBound) return bound;
    throw Xapian::InvalidArgumentError(
        fmt::format("{}: scores may be as large as {}, expected at most {}: a weight, a parameter "
                    "or a statistic is too large",
                    name, bound, kMostBound));
}

}  // namespace braid
