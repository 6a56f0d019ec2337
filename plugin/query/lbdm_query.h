// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/base/bytes.h"
#include "braid/core/topics/lbdm.h"
#include "braid/error.h"
#include "braid/plugin/tables/topic_table.h"

namespace braid {

/// A word of a query for LbdmSource.
struct LbdmWord {
    std::string term = {};           ///< The word's term in documents.
    double count = 1;                ///< c(w, q), over 0.
    double collection_share = 1;     ///< p(w|C) over the whole collection: over 0, at most 1.
    std::vector<float> topics = {};  ///< p(w|z) of all chains; empty for an unknown word.

    bool operator==(const LbdmWord&) const = default;
};

/// Input of docs/algorithms/lbdm.md's score besides the documents: a plain value, the same for all
/// shards.
struct LbdmQuery {
    TopicSlot model = {};
    std::size_t dimensions = 1;  ///< Dimensions of documents' vectors, over all chains.
    std::size_t chains = 1;
    LbdmSettings settings = {};
    double longest = 1e7;     ///< Longest length that a document counts as, in words.
    double length_scale = 1;  ///< Words per unit of Xapian's document length: over 0, at most 1.
    std::vector<LbdmWord> words = {};

    bool operator==(const LbdmQuery&) const = default;
};

/// Throws InvalidArgument if scores could be negative or not finite.
BRAID_API void validate(const LbdmQuery& query);

/// docs/formats.md. Validates what it reads; throws FormatError or InvalidArgument.
void write(ByteWriter& out, const LbdmQuery& query);
LbdmQuery read_lbdm_query(ByteReader& in);

}  // namespace braid
