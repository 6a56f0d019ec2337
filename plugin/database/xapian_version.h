// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include <xapian.h>

/// The only place that knows how Xapian's interfaces differ between 1.4 and what came after: from
/// 1.5 on the parts of a weight take one parameter more, the document's largest wdf.
/// No part of Braid uses a document's number of unique terms here, so that has no name either.
#if XAPIAN_AT_LEAST(1, 5, 0)
#define BRAID_SUMPART_PARAMETERS \
    Xapian::termcount occurrences, Xapian::termcount length, Xapian::termcount, Xapian::termcount
#define BRAID_SUMEXTRA_PARAMETERS Xapian::termcount length, Xapian::termcount, Xapian::termcount
#else
#define BRAID_SUMPART_PARAMETERS \
    Xapian::termcount occurrences, Xapian::termcount length, Xapian::termcount
#define BRAID_SUMEXTRA_PARAMETERS Xapian::termcount length, Xapian::termcount
#endif

namespace braid {

/// The databases that a database is made of. Document `docid` is number (docid - 1) / count + 1 of
/// the shard (docid - 1) % count.
inline std::size_t shard_count(const Xapian::Database& database) {
#if XAPIAN_AT_LEAST(1, 5, 0)
    return database.size();
#else
    return database.internal.size();
#endif
}

/// Those databases in their order; empty where they are several and this Xapian doesn't part them.
inline std::vector<Xapian::Database> shards_of(const Xapian::Database& database) {
    if (shard_count(database) == 1) return {database};
    std::vector<Xapian::Database> shards;
#if !XAPIAN_AT_LEAST(1, 5, 0)
    for (const auto& shard : database.internal) shards.emplace_back(shard.get());
#endif
    return shards;
}

}  // namespace braid
