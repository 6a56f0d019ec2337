// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/known_items.h"

#include <vector>

#include <fmt/format.h>

#include "braid/core/eval/paired_tests.h"
#include "braid/core/eval/summary.h"

namespace braid {

KnownItemFinding compare_known_items(std::span<const double> ranks,
                                     std::span<const double> before) {
    if (ranks.empty() || ranks.size() != before.size()) {
        throw InvalidArgument(
            fmt::format("known items: found {} and {} ranks, expected as many, "
                        "and any",
                        ranks.size(), before.size()));
    }
    std::vector<double> differences;
    KnownItemFinding found;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        differences.push_back(ranks[i] - before[i]);
        found.mean += ranks[i] / static_cast<double>(ranks.size());
        found.before += before[i] / static_cast<double>(ranks.size());
    }
    found.difference = found.mean - found.before;
    found.interval = mean_interval(differences);
    found.p = paired_t_test(differences).p;
    found.is_safe = found.interval.low >= -kMostKnownItemLoss;
    return found;
}

}  // namespace braid
