// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace braid {

/// Remembers values of a pure function of (occurrences, length) which is 0 at (0, 0). A table
/// indexed directly, where a later pair replaces an earlier one that fell on its place: documents
/// of a collection have few distinct pairs, so most lookups hit, and a lookup is one comparison.
/// Not safe to share between threads. `get` does not allocate.
class PartMemo {
  public:
    static constexpr std::size_t kMaxEntries = 4096;  ///< 64 KB: stays in a core's own cache.
    static constexpr std::size_t kMinCalls = 32;  ///< Below, the table costs more than it saves.

    /// Forgets everything and makes room for about `calls` lookups.
    void reset(std::size_t calls) {
        entries_.reset();
        if (calls < kMinCalls) return;
        const std::size_t size = std::bit_ceil(std::min(calls, kMaxEntries));
        entries_ = std::make_unique<Entry[]>(size);
        mask_ = size - 1;
        row_shift_ = std::bit_width(size) - 4;
    }

    template <typename Function>
    double get(std::uint64_t occurrences, std::uint64_t length, const Function& function) {
        // Beyond 32 bits, which only some builds of Xapian can count to, two pairs could meet.
        if (entries_ == nullptr || ((occurrences | length) >> 32) != 0) return function();
        const std::uint64_t key = occurrences << 32 | length;
        // Eight rows of lengths, one for each number of occurrences: most terms occur once or
        // twice.
        Entry& entry = entries_[(length + (occurrences << row_shift_)) & mask_];
        if (entry.key != key) entry = {key, function()};
        return entry.value;
    }

  private:
    struct Entry {  // Zero-filled, which stands for (0, 0).
        std::uint64_t key;
        double value;
    };

    std::unique_ptr<Entry[]> entries_;
    std::uint64_t mask_ = 0;
    int row_shift_ = 0;
};

}  // namespace braid
