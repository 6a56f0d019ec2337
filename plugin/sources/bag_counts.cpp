// SPDX-License-Identifier: GPL-2.0-or-later
// How many documents a BagMatcher matches, apart from finding them.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "braid/plugin/sources/bag_matcher.h"

namespace braid {

Xapian::doccount BagMatcher::matches_min() const {
    std::uint64_t most = 0;
    std::uint64_t missing = 0;
    for (const TermCursor& cursor : cursors_) {
        // Lists that are longer than the shard come from a damaged one.
        const std::uint64_t has = std::min(cursor.frequency(), documents_);
        most = std::max(most, has);
        missing += documents_ - has;
    }
    if (!all_) return static_cast<Xapian::doccount>(most);
    return missing < documents_ ? static_cast<Xapian::doccount>(documents_ - missing) : 0;
}

Xapian::doccount BagMatcher::matches_max() const {
    std::uint64_t sum = 0;
    std::uint64_t least = documents_;
    for (const TermCursor& cursor : cursors_) {
        sum += cursor.frequency();
        least = std::min<std::uint64_t>(least, cursor.frequency());
    }
    return static_cast<Xapian::doccount>(all_ ? least : std::min<std::uint64_t>(sum, documents_));
}

Xapian::doccount BagMatcher::matches_estimate() const {
    if (documents_ == 0) return 0;
    double share = 1;
    for (const TermCursor& cursor : cursors_) {
        const double has =
            static_cast<double>(std::min(cursor.frequency(), documents_)) / documents_;
        share *= all_ ? has : 1 - has;
    }
    const double estimate = std::round((all_ ? share : 1 - share) * documents_);
    return std::clamp(static_cast<Xapian::doccount>(estimate), matches_min(), matches_max());
}

}  // namespace braid
