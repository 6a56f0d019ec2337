// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace braid {

/// What a FusedSource did.
struct FusedCounters {
    std::uint64_t postings = 0;           ///< That the query's terms have, term by term.
    std::uint64_t postings_scored = 0;    ///< Of those, with all lexical rankers.
    std::uint64_t documents_scored = 0;   ///< Given to Xapian with their whole score.
    std::uint64_t documents_skipped = 0;  ///< Looked at, and given up before their whole score.
    std::uint64_t vectors_decoded = 0;    ///< Products of vectors, counted for each topic model.
    std::uint64_t vectors_in_memory = 0;  ///< Of those, read from VectorTables.
};

}  // namespace braid
