// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/model.h"
#include "braid/plugin/ranking/counted_words.h"
#include "braid/plugin/sources/time_limit.h"

namespace braid {

/// Matches of the documents of a pool, which ascend. Each function runs a search; all but the last
/// look at no other documents.

/// For each document whether `query` matches it.
std::vector<char> matches_in(const Xapian::Database& database, const Xapian::Query& query,
                             std::span<const Xapian::docid> documents);

/// `query` as one word: OP_SYNONYM, or a wildcard that is one. Its documents are in `matches`. It
/// is a part of `whole`, since Xapian knows a wildcard's words over all shards where they stand
/// there themselves, too, and else in each shard alone.
CountedWord counted_as_one(const Xapian::Database& database, const Xapian::Query& query,
                           const Xapian::Query& whole, std::span<const Xapian::docid> documents,
                           std::vector<char>& matches);

/// The factor of `query`, an OP_SCALE_WEIGHT, which Xapian tells to weights alone. Nothing where
/// words below it have several. 0 where no word below it scores.
std::optional<double> factor_of(const Xapian::Database& database, const Xapian::Query& query);

/// Result of a search by one lexical ranker alone, with weight 1. Takes as long as that search.
struct RankerMatches {
    std::vector<std::optional<double>> values;  ///< By document; empty: no match.
    double bound = 0;                           ///< No document has a higher value.
    std::string problem;                        ///< Why values are missing, or "".
};
/// `length` is the query's (scored_length). Ends once `limit` is over, where it isn't null, with
/// what it found.
RankerMatches matches_by(const Xapian::Database& database, const RankerSpec& ranker,
                         const Xapian::Query& query, Xapian::termcount length,
                         std::span<const Xapian::docid> documents,
                         const std::shared_ptr<TimeLimit>& limit = {});

}  // namespace braid
