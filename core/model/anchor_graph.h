// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <span>

#include "braid/core/base/export.h"

namespace braid {

struct AnchorGraphOptions {
    std::size_t anchors = 20;
    std::size_t neighbours = 3;
    /// Documents whose features are all zero lie nowhere: tied to no other, they keep their score.
    bool zero_is_nowhere = false;
};

/// Replaces `scores`, one a document, by (1 - alpha) (I - alpha S)^-1 scores, where S ties
/// documents together through the best-scored ones; docs/algorithms/fusion.md (6) to (9).
/// `features` are row-major, as many for each document, and finite; 0 <= alpha < 1.
/// O(documents anchors (features + neighbours) + anchors^3).
BRAID_API void smooth_over_anchors(std::span<const double> features,
                                   const AnchorGraphOptions& options, double alpha,
                                   std::span<double> scores);

}  // namespace braid
