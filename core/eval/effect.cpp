// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/effect.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/eval/student_t.h"
#include "braid/core/eval/summary.h"

namespace braid {

ConfidenceInterval mean_interval(std::span<const double> values, double confidence) {
    if (!(confidence > 0 && confidence < 1)) {
        throw InvalidArgument(
            fmt::format("confidence is {}, expected a number between 0 and 1", confidence));
    }
    const double centre = mean(values);
    if (values.size() == 1) {
        const double infinity = std::numeric_limits<double>::infinity();
        return {-infinity, infinity};
    }
    const auto count = static_cast<double>(values.size());
    const double half = student_t_critical(1 - confidence, count - 1) * standard_deviation(values) /
                        std::sqrt(count);
    return {centre - half, centre + half};
}

double effect_size(std::span<const double> differences) {
    const double centre = mean(differences);
    if (centre == 0) return 0;
    const double spread = standard_deviation(differences);
    if (spread == 0) return std::copysign(std::numeric_limits<double>::infinity(), centre);
    return centre / spread;
}

}  // namespace braid
