// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace braid {

/// Which documents a query finds that is ranked by topics.
enum class Candidates {
    kWords,  ///< Those that match its words.
    kAll,    ///< Those of similar topics, too, whatever their words.
    /// The best of these, found through clusters of vectors rather than by reading all.
    kHybrid,
};

}  // namespace braid
