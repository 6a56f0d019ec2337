// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>

namespace braid {

/// One number of dimensions that was tried, and how good it is.
struct DimensionTrial {
    std::size_t dimensions = 0;
    double score = 0;       ///< Higher is better.
    std::string criterion;  ///< What the score is: "log likelihood of held-out words".

    bool operator==(const DimensionTrial&) const = default;
};

}  // namespace braid
