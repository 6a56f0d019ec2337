// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/export.h"

namespace braid {

/// The values of one slot of a shard, copied to memory. Immutable.
class BRAID_API VectorTable {
  public:
    /// Nothing where the shard's values take more than `most_bytes`, with what finding them takes.
    static std::shared_ptr<const VectorTable> load(const Xapian::Database& shard,
                                                   Xapian::valueno slot, std::size_t most_bytes);

    /// "" where the document has none.
    std::string_view value(Xapian::docid docid) const noexcept {
        if (docid >= ends_.size()) return {};
        const std::uint32_t begin = ends_[docid - 1];
        return {values_.data() + begin, ends_[docid] - begin};
    }

    std::size_t bytes() const { return values_.capacity() + ends_.capacity() * sizeof(ends_[0]); }

  private:
    VectorTable() = default;

    std::string values_;
    std::vector<std::uint32_t> ends_;  ///< By docid, in values_; 0 has one too.
};

/// Where a shard's vectors are to be read.
struct VectorAccess {
    std::shared_ptr<const VectorTable> table;  ///< Nothing: from the database, and
    /// counted here, where it is anything, so that the tables know when they are worth making.
    std::shared_ptr<std::atomic<std::uint64_t>> reads;
};

/// Tables of topic vectors, made once they are worth it and kept while they are current. A vector
/// spread over a database costs .6 to 5 microseconds to read, from memory a tenth.
///
/// For one database, in all states it comes to: tables are told apart by shard and revision, which
/// a copy of its files shares. Not for a WritableDatabase with changes that aren't committed.
/// May be shared between threads; one that asks for a table while another makes one waits.
class BRAID_API VectorTables {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    /// When a table is made, which reads all values of a slot: .2 microseconds each.
    enum class When {
        kFirst,    ///< When it is first asked for.
        kWorthIt,  ///< When vectors were read one by one for as long as it takes to make it: so
                   ///< that the time is never more than twice that of the better choice.
    };

    /// `most_bytes` is the room for all tables.
    explicit VectorTables(std::size_t most_bytes = kMostBytes, When when = When::kFirst)
        : most_bytes_(most_bytes), when_(when) {}

    /// Without a table where there is no room, and for a shard that has no revision (remote or in
    /// memory).
    VectorAccess access(const Xapian::Database& shard, Xapian::valueno slot);

    /// Of all tables that are kept.
    std::size_t bytes() const;

  private:
    struct Entry {
        std::uint64_t revision = 0;
        bool settled = false;                      ///< Made, or found to have no room.
        std::shared_ptr<const VectorTable> table;  ///< Nothing where it isn't made.
        std::shared_ptr<std::atomic<std::uint64_t>> reads;
    };
    std::size_t used() const;

    std::size_t most_bytes_;
    When when_;
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, Xapian::valueno>, Entry> entries_;  ///< By UUID and slot.
};

}  // namespace braid
