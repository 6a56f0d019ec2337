// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

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

/// Tables of topic vectors, made where they are first asked for and kept while they are current. A
/// vector spread over a database costs 2 to 5 microseconds to read, from memory a tenth.
///
/// For one database, in all states it comes to: tables are told apart by shard and revision, which
/// a copy of its files shares. Not for a WritableDatabase with changes that aren't committed.
/// May be shared between threads; one that asks for a table while another makes one waits.
class BRAID_API VectorTables {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    /// `most_bytes` is the room for all tables.
    explicit VectorTables(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

    /// Nothing where there is no room, and for a shard that has no revision (remote or in memory).
    /// The first call for a state of a shard reads all values of the slot: .2 microseconds each.
    std::shared_ptr<const VectorTable> table(const Xapian::Database& shard, Xapian::valueno slot);

  private:
    struct Entry {
        std::uint64_t revision = 0;
        std::shared_ptr<const VectorTable> table;  ///< Nothing where it had no room.
    };

    std::size_t most_bytes_;
    std::mutex mutex_;
    std::map<std::pair<std::string, Xapian::valueno>, Entry> entries_;  ///< By UUID and slot.
};

}  // namespace braid
