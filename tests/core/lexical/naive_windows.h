// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace braid::test {

/// Ordered windows and the most disjoint pairs within `window`, by trying all pairs: augmenting
/// paths. For different words.
inline std::pair<double, double> naive_windows(const std::vector<std::uint32_t>& first,
                                               const std::vector<std::uint32_t>& second,
                                               std::uint32_t window) {
    double ordered = 0;
    for (const std::uint32_t a : first) {
        for (const std::uint32_t b : second) ordered += b == a + 1 ? 1 : 0;
    }
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> partner(second.size(), kNone);
    double pairs = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        std::vector<bool> tried(second.size());
        const std::function<bool(std::size_t)> find = [&](std::size_t k) {
            for (std::size_t j = 0; j < second.size(); ++j) {
                const std::uint32_t apart =
                    first[k] > second[j] ? first[k] - second[j] : second[j] - first[k];
                if (apart >= window || tried[j]) continue;
                tried[j] = true;
                if (partner[j] != kNone && !find(partner[j])) continue;
                partner[j] = k;
                return true;
            }
            return false;
        };
        pairs += find(i) ? 1 : 0;
    }
    return {ordered, pairs};
}

}  // namespace braid::test
