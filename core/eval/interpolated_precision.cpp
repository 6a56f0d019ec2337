// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/interpolated_precision.h"

#include <algorithm>
#include <vector>

namespace braid {

void add_interpolated_precision(const JudgedRanking& ranking, Grade relevant_from,
                                std::span<double> sums) {
    const std::size_t relevant = ranking.pool.count_from(relevant_from);
    if (relevant == 0) return;
    // best[r]: the highest precision at a rank with r relevant documents or more.
    std::vector<double> best(relevant + 1, 0.0);
    std::size_t found = 0;
    for (std::size_t i = 0; i < ranking.grades.size() && found < relevant; ++i) {
        if (ranking.grades[i] < relevant_from) continue;
        ++found;
        best[found] = static_cast<double>(found) / static_cast<double>(i + 1);
    }
    for (std::size_t r = relevant; r > 0; --r) best[r - 1] = std::max(best[r - 1], best[r]);
    const std::size_t steps = sums.size() - 1;
    for (std::size_t j = 0; j <= steps; ++j) {
        sums[j] += best[(j * relevant + steps - 1) / steps];
    }
}

}  // namespace braid
