// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// A stable sort of items by their member `at`, a double that is not NaN; not installed.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace braid {

/// The upper half of a number that orders as the double does.
inline std::uint32_t coarse_key(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    const std::uint64_t flipped = (bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000ULL;
    return static_cast<std::uint32_t>(flipped >> 32);
}

constexpr int kDigitBits = 11;
using DigitCounts = std::array<std::array<std::uint32_t, 1U << kDigitBits>, 3>;

template <typename T>
DigitCounts count_digits(const std::vector<T>& items) {
    DigitCounts counts{};
    for (const T& item : items) {
        const std::uint32_t key = coarse_key(item.at);
        for (std::uint32_t d = 0; d < 3; ++d) ++counts[d][key >> kDigitBits * d & 2047U];
    }
    return counts;
}

/// In O(n): three passes by the upper half of the key (one that would move nothing is left out),
/// then the few that share it by comparison. Small lists by comparison alone. Uses `room`.
template <typename T>
void sort_by_place(std::vector<T>& items, std::vector<T>& room) {
    const auto is_before = [](const T& a, const T& b) { return a.at < b.at; };
    if (items.size() < 512) {
        std::stable_sort(items.begin(), items.end(), is_before);
        return;
    }
    room.resize(items.size());
    DigitCounts counts = count_digits(items);
    for (std::uint32_t d = 0; d < 3; ++d) {
        const std::uint32_t shift = kDigitBits * d;
        auto& begin = counts[d];
        if (begin[coarse_key(items.front().at) >> shift & 2047U] == items.size()) continue;
        std::uint32_t sum = 0;
        for (std::uint32_t& count : begin) {
            sum += count;
            count = sum - count;
        }
        for (const T& item : items) room[begin[coarse_key(item.at) >> shift & 2047U]++] = item;
        items.swap(room);
    }
    for (auto begin = items.begin(); begin != items.end();) {
        const std::uint32_t key = coarse_key(begin->at);
        auto end = begin + 1;
        while (end != items.end() && coarse_key(end->at) == key) ++end;
        if (end - begin > 1) std::stable_sort(begin, end, is_before);
        begin = end;
    }
}

}  // namespace braid
