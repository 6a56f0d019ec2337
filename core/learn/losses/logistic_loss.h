// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <algorithm>
#include <cmath>

namespace braid {

/// log(1 + e^-margin) and its derivative, finite for any margin.
struct LogisticLoss {
    double value;
    double slope;

    explicit LogisticLoss(double margin) {
        const double tail = std::exp(-std::abs(margin));
        value = std::log1p(tail) + std::max(-margin, 0.0);
        slope = -(margin > 0 ? tail : 1) / (1 + tail);
    }
};

}  // namespace braid
