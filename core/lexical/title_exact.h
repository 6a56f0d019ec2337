// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "braid/error.h"

namespace braid {

/// A word of a title (any field), as it stands there and stemmed.
struct TitleWord {
    std::string word;
    std::string stem;
    bool is_stop = false;  ///< Queries may have dropped it.

    bool operator==(const TitleWord&) const = default;
};

/// A word of the query, or its stem where that is all that is known.
struct NameWord {
    std::string text;
    bool is_stem = false;

    bool operator==(const NameWord&) const = default;
};

/// How a title has the words of a query, in their order; the later, the better.
enum class TitleMatch : std::uint8_t {
    kNone,
    kContains,  ///< Somewhere, one right after the other.
    kBegins,    ///< At its beginning.
    kEquals,    ///< The whole title, without other words.
};

/// docs/algorithms/title-exact.md (1) to (3): the best match of the title's words, and of those
/// that are no stop words. kNone for a query or a title without words. O(title * query).
BRAID_API TitleMatch match_title(std::span<const TitleWord> title, std::span<const NameWord> query);

/// What the ranker title-exact gives for each.
struct TitleScores {
    double equals = 1;
    double begins = 0.5;
    double contains = 0.25;

    double of(TitleMatch match) const {
        switch (match) {
            case TitleMatch::kEquals:
                return equals;
            case TitleMatch::kBegins:
                return begins;
            case TitleMatch::kContains:
                return contains;
            case TitleMatch::kNone:
                break;
        }
        return 0;
    }

    bool operator==(const TitleScores&) const = default;
};

}  // namespace braid
