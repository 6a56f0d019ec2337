// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include <xapian.h>

/// All that depends on Xapian's version, or on its wording. From 1.5 on, a weight's
/// functions take one more parameter, the document's largest wdf. Braid's weights don't use a
/// document's number of unique terms, so it is unnamed as well.
#if XAPIAN_AT_LEAST(1, 5, 0)
#define BRAID_SUMPART_PARAMETERS                                                               \
    [[maybe_unused]] Xapian::termcount occurrences, [[maybe_unused]] Xapian::termcount length, \
        Xapian::termcount, Xapian::termcount
#define BRAID_SUMEXTRA_PARAMETERS \
    [[maybe_unused]] Xapian::termcount length, Xapian::termcount, Xapian::termcount
#else
#define BRAID_SUMPART_PARAMETERS                                                               \
    [[maybe_unused]] Xapian::termcount occurrences, [[maybe_unused]] Xapian::termcount length, \
        Xapian::termcount
#define BRAID_SUMEXTRA_PARAMETERS [[maybe_unused]] Xapian::termcount length, Xapian::termcount
#endif

namespace braid {

/// Whether this is Xapian 2, whose matcher makes other mistakes than 1.4's: query/repaired_query.h.
inline constexpr bool kIsXapian2 = XAPIAN_AT_LEAST(1, 5, 0);

/// The number of shards in a database. Document `docid` is number (docid - 1) / count + 1 of
/// shard (docid - 1) % count.
inline std::size_t shard_count(const Xapian::Database& database) {
#if XAPIAN_AT_LEAST(1, 5, 0)
    return database.size();
#else
    return database.internal.size();
#endif
}

/// The shards in order; empty if there are several and this Xapian can't separate them, which from
/// 1.5 on are those with a remote one or one without documents. Costs a search for nothing there.
std::vector<Xapian::Database> shards_of(const Xapian::Database& database);

/// Has a posting source stand before the first document of a shard, as the matcher does. Xapian 2's
/// own sources have no init, and reset of others calls theirs.
inline void start_source(Xapian::PostingSource& source, const Xapian::Database& shard) {
#if XAPIAN_AT_LEAST(1, 5, 0)
    source.reset(shard, 0);
#else
    source.init(shard);
#endif
}

/// What all copies of a database share, and no other database has while one of them lives.
inline const void* internals_of(const Xapian::Database& database) {
#if XAPIAN_AT_LEAST(1, 5, 0)
    return database.internal.get();
#else
    return database.internal.empty() ? nullptr : database.internal[0].get();
#endif
}

/// What Xapian tells only in its descriptions of queries, in the form of Xapian 1.4. No other file
/// reads them; tests/plugin/query/query_tree_test.cpp fails for another form.

/// Whether the query is OP_SCALE_WEIGHT with the factor 0.
bool is_scaled_to_nothing(const Xapian::Query& query);

/// The operator that joins the terms which a wildcard stands for: OP_SYNONYM, OP_OR or OP_MAX.
/// OP_INVALID for a query that is not OP_WILDCARD.
Xapian::Query::op wildcard_operator(const Xapian::Query& query);

}  // namespace braid
