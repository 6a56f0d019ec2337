// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "braid/error.h"

namespace braid {

/// Pairs of adjacent query words in ordered and unordered windows: docs/algorithms/proximity.md.
struct ProximitySettings {
    double window = 8;           ///< Positions of an unordered window, from 2.
    double ordered = 2.0 / 3.0;  ///< Share of ordered windows in the score.
    double k1 = 1.2;
    double b = 0.75;

    bool operator==(const ProximitySettings&) const = default;
};

/// Positions of a word in a document, ascending, each once.
using Positions = std::span<const std::uint32_t>;

/// o: places where `second` stands right behind `first`. O(both).
BRAID_API std::size_t count_ordered(Positions first, Positions second) noexcept;

/// u: the most disjoint pairs of a position of each list that are fewer than `window` apart.
/// O(both).
BRAID_API std::size_t count_unordered(Positions first, Positions second,
                                      std::uint32_t window) noexcept;
/// The same of one word twice: disjoint pairs of positions of the list.
BRAID_API std::size_t count_unordered(Positions word, std::uint32_t window) noexcept;

/// (3): r of a word in so many of `collection` documents. Over 0.
BRAID_API double proximity_rarity(double collection, double documents) noexcept;

/// (1) over documents: for a given average length.
class BRAID_API WindowGain {
  public:
    WindowGain(const ProximitySettings& settings, double average_length) noexcept;

    /// Rises with `windows`, falls with `length`; 0 for 0 windows.
    double operator()(double windows, double length) const noexcept {
        if (!(windows > 0)) return 0;
        return top_ * (windows / (windows + rest_ + per_length_ * length));
    }

  private:
    double top_, rest_, per_length_;
};

}  // namespace braid
