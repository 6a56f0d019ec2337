// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/proximity.h"

#include <algorithm>
#include <cmath>

namespace braid {

std::size_t count_ordered(Positions first, Positions second) noexcept {
    std::size_t count = 0;
    std::size_t j = 0;
    for (const std::uint32_t position : first) {
        while (j < second.size() && second[j] <= position) ++j;
        if (j == second.size()) break;
        if (second[j] - position == 1) ++count;
    }
    return count;
}

std::size_t count_unordered(Positions first, Positions second, std::uint32_t window) noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
        const auto [less, more] = std::minmax(first[i], second[j]);
        if (more - less < window) {
            ++count, ++i, ++j;
        } else if (first[i] < second[j]) {
            ++i;
        } else {
            ++j;
        }
    }
    return count;
}

std::size_t count_unordered(Positions word, std::uint32_t window) noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
        if (word[i + 1] - word[i] >= window) continue;
        ++count, ++i;
    }
    return count;
}

double proximity_rarity(double collection, double documents) noexcept {
    const double having = std::clamp(documents, 0.0, collection);
    return std::log1p((collection - having + 0.5) / (having + 0.5));
}

WindowGain::WindowGain(const ProximitySettings& settings, double average_length) noexcept
    : top_(settings.k1 + 1),
      rest_(settings.k1 * (1 - settings.b)),
      per_length_(average_length > 0 ? settings.k1 * settings.b / average_length : 0) {}

}  // namespace braid
