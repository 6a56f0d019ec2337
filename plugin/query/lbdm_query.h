// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/base/bytes.h"
#include "braid/core/base/export.h"
#include "braid/core/topics/lbdm.h"
#include "braid/plugin/tables/topic_table.h"

namespace braid {

/// A word of a query, as LbdmSource takes it.
struct LbdmWord {
    std::string term = {};        ///< That documents have it as.
    double count = 1;             ///< c(w, q), over 0.
    double collection_share = 1;  ///< p(w|C) over the whole collection: over 0, at most 1.
    std::vector<float> topics =
        {};  ///< p(w|z) of all chains; empty where the model doesn't know it.

    bool operator==(const LbdmWord&) const = default;
};

/// All that the score of docs/algorithms/lbdm.md needs beside the documents: a plain value, the
/// same for all shards.
struct LbdmQuery {
    TopicSlot model = {};
    std::size_t dimensions = 1;  ///< Of documents' vectors: all chains.
    std::size_t chains = 1;
    LbdmSettings settings = {};
    double longest = 1e7;     ///< Documents count as no longer than this, in words.
    double length_scale = 1;  ///< Words per unit of Xapian's document length: over 0, at most 1.
    std::vector<LbdmWord> words = {};

    bool operator==(const LbdmQuery&) const = default;
};

/// Throws InvalidArgument for what gives scores that are negative or not finite.
BRAID_API void validate(const LbdmQuery& query);

/// docs/formats.md. What is read is validated; FormatError or InvalidArgument for anything else.
BRAID_API void write(ByteWriter& out, const LbdmQuery& query);
BRAID_API LbdmQuery read_lbdm_query(ByteReader& in);

}  // namespace braid
