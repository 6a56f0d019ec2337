// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// A stable sort of items by their member `at`, a double that is not NaN.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace braid {

/// The upper half of an integer that orders as the double does.
inline std::uint32_t coarse_key(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    const std::uint64_t flipped = (bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000ULL;
    return static_cast<std::uint32_t>(flipped >> 32);
}

/// Stable passes over the coarse keys, kBits bits at a time, enough for 32 bits. Skips passes that
/// would not move anything.
template <std::uint32_t kBits, typename T>
void sort_by_digits(std::vector<T>& items, std::vector<T>& room) {
    constexpr std::uint32_t kDigits = (32 + kBits - 1) / kBits;
    constexpr std::uint32_t kMask = (1U << kBits) - 1;
    std::array<std::array<std::uint32_t, kMask + 1>, kDigits> counts{};
    for (const T& item : items) {
        const std::uint32_t key = coarse_key(item.at);
        for (std::uint32_t d = 0; d < kDigits; ++d) ++counts[d][key >> kBits * d & kMask];
    }
    room.resize(items.size());
    for (std::uint32_t d = 0; d < kDigits; ++d) {
        auto& begin = counts[d];
        if (begin[coarse_key(items.front().at) >> kBits * d & kMask] == items.size()) continue;
        std::uint32_t sum = 0;
        for (std::uint32_t& count : begin) {
            sum += count;
            count = sum - count;
        }
        for (const T& item : items) room[begin[coarse_key(item.at) >> kBits * d & kMask]++] = item;
        items.swap(room);
    }
}

/// O(n): sorts by the upper half of the key, then the few equal ones by comparison. Small lists
/// only by comparison. Uses `room`.
template <typename T>
void sort_by_place(std::vector<T>& items, std::vector<T>& room) {
    const auto is_before = [](const T& a, const T& b) { return a.at < b.at; };
    if (items.size() < 64) {
        std::stable_sort(items.begin(), items.end(), is_before);
        return;
    }
    if (items.size() < 4096) {
        sort_by_digits<8>(items, room);
    } else {
        sort_by_digits<11>(items, room);
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
