// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/folds.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid {

std::vector<Fold> cross_validation_folds(std::span<const std::string> queries, std::size_t count,
                                         std::uint64_t seed) {
    if (count < 2 || count > queries.size()) {
        throw InvalidArgument(fmt::format("{} folds of {} queries, expected 2 to {}", count,
                                          queries.size(), queries.size()));
    }
    std::vector<std::size_t> order(queries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [queries](std::size_t a, std::size_t b) { return queries[a] < queries[b]; });
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (queries[order[i]] == queries[order[i - 1]]) {
            throw InvalidArgument(
                fmt::format("query {} is twice in the list to split", queries[order[i]]));
        }
    }
    Random random(seed);
    random.shuffle(order);
    std::vector<std::size_t> part(queries.size());
    for (std::size_t i = 0; i < order.size(); ++i) part[order[i]] = i % count;
    std::vector<Fold> folds(count);
    for (std::size_t query = 0; query < part.size(); ++query) {
        for (std::size_t fold = 0; fold < count; ++fold) {
            (part[query] == fold ? folds[fold].test : folds[fold].train).push_back(query);
        }
    }
    return folds;
}

}  // namespace braid
