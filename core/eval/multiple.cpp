// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/multiple.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (const double p : p_values) {
        if (!(p >= 0 && p <= 1)) {
            throw InvalidArgument(fmt::format("a p value is {}, expected 0 to 1", p));
        }
    }
    std::stable_sort(order.begin(), order.end(), [p_values](std::size_t a, std::size_t b) {
        return p_values[a] < p_values[b];
    });
    std::vector<double> adjusted(p_values.size());
    double highest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto left = static_cast<double>(order.size() - i);
        highest = std::max(highest, std::min(1.0, left * p_values[order[i]]));
        adjusted[order[i]] = highest;
    }
    return adjusted;
}

}  // namespace braid
