// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>

#include "braid/core/base/export.h"

namespace braid {

/// An interval that holds the true value with a stated confidence.
struct ConfidenceInterval {
    double low = 0;
    double high = 0;
};

/// Student's interval for the mean, significance.md (8); `confidence` in (0, 1). A single value
/// gives (-infinity, infinity). Throws InvalidArgument where there are none.
BRAID_API ConfidenceInterval mean_interval(std::span<const double> values,
                                           double confidence = 0.95);

/// Cohen's d of paired differences, significance.md (9): their mean in standard deviations. 0
/// where all are 0; infinite where all are the same but not 0. Throws where there are none.
BRAID_API double effect_size(std::span<const double> differences);

}  // namespace braid
