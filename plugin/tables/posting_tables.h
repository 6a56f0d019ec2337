// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {

using PostingAccess = TableAccess<PostingTable>;

/// Postings of the terms that queries have, decoded once and kept while they are current and there
/// is room; the terms that were asked for longest ago make way. From the database a posting takes
/// 30 nanoseconds and more, from memory about 2.
///
/// For one database, in all states it comes to: tables are told apart by shard and revision, which
/// a copy of its files shares. Not for a WritableDatabase with changes that aren't committed.
/// May be shared between threads; one that asks for a table while another makes it doesn't wait,
/// and reads the database.
class BRAID_API PostingTables {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    /// `most_bytes` is the room for all tables and what is remembered of terms that have none.
    /// With When::kWorthIt a term has a table made once its postings were read one by one for as
    /// long as that takes: hardly ever for a single search.
    explicit PostingTables(std::size_t most_bytes = kMostBytes,
                           VectorTables::When when = VectorTables::When::kFirst);
    ~PostingTables();

    /// One for each term. Without a table where one isn't worth it yet, has no room, or is being
    /// made by another thread, and for a shard that has no revision (remote or in memory).
    /// `lengths` are the shard's, or nullptr.
    std::vector<PostingAccess> find(const Xapian::Database& shard,
                                    std::span<const std::string_view> terms,
                                    const LengthTable* lengths);

    /// Of all that is kept.
    std::size_t bytes() const;

    /// Empty, with the same limits: for another database of the same UUID, such as a copy.
    std::shared_ptr<PostingTables> another() const;

  private:
    class Cache;
    std::unique_ptr<Cache> cache_;
};

}  // namespace braid
