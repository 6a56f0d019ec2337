// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/search_speed/contests.h"

#include <fmt/core.h>

#include "braid/bench/common/timing.h"

namespace braid::bench {

double mean_of_medians(const std::vector<std::vector<double>>& rounds) {
    double sum = 0;
    for (const std::vector<double>& times : rounds) sum += percentile(times, 50);
    return sum / static_cast<double>(rounds.size());
}

void print_costs(const std::string& first, const std::string& second,
                 const std::vector<TwoCosts>& contenders) {
    fmt::print("\n| what | {}, ms | of Xapian's | {}, ms | of Xapian's |\n|---|---|---|---|---|\n",
               first, second);
    for (const TwoCosts& costs : contenders) {
        fmt::print("| {} | {:.3f} | {:.2f} | {:.3f} | {:.2f} |\n", costs.name, costs.first,
                   costs.first / contenders[0].first, costs.second,
                   costs.second / contenders[0].second);
    }
}

}  // namespace braid::bench
