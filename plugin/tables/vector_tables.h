// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/store/document_values.h"
#include "braid/plugin/store/table_file.h"
#include "braid/plugin/tables/neighbour_table.h"
#include "braid/plugin/tables/topic_table.h"

namespace braid {

/// Remembers values of a pure function of (occurrences, length) which is 0 at (0, 0). A table
/// indexed directly, where a later pair replaces an earlier one that fell on its place: documents
/// of a collection have few distinct pairs, so most lookups hit, and a lookup is one comparison.
/// Not safe to share between threads. `get` does not allocate.
class PartMemo {
  public:
    static constexpr std::size_t kMaxEntries = 4096;  ///< 64 KB: stays in a core's own cache.
    static constexpr std::size_t kMinCalls = 32;  ///< Below, the table costs more than it saves.

    /// Forgets everything and makes room for about `calls` lookups.
    void reset(std::size_t calls) {
        entries_.reset();
        if (calls < kMinCalls) return;
        const std::size_t size = std::bit_ceil(std::min(calls, kMaxEntries));
        entries_ = std::make_unique<Entry[]>(size);
        mask_ = size - 1;
        row_shift_ = std::bit_width(size) - 4;
    }

    template <typename Function>
    double get(std::uint64_t occurrences, std::uint64_t length, const Function& function) {
        // Beyond 32 bits, which only some builds of Xapian can count to, two pairs could meet.
        if (entries_ == nullptr || ((occurrences | length) >> 32) != 0) return function();
        const std::uint64_t key = occurrences << 32 | length;
        // Eight rows of lengths, one for each number of occurrences: most terms occur once or
        // twice.
        Entry& entry = entries_[(length + (occurrences << row_shift_)) & mask_];
        if (entry.key != key) entry = {key, function()};
        return entry.value;
    }

  private:
    struct Entry {  // Zero-filled, which stands for (0, 0).
        std::uint64_t key;
        double value;
    };

    std::unique_ptr<Entry[]> entries_;
    std::uint64_t mask_ = 0;
    int row_shift_ = 0;
};

/// The values of one slot of a shard, copied to memory. Immutable.
class VectorTable {
  public:
    /// Nothing where the shard's values take more than `most_bytes`, with what finding them takes.
    static std::shared_ptr<const VectorTable> load(const Xapian::Database& shard,
                                                   Xapian::valueno slot, std::size_t most_bytes);

    /// "" where the document has none.
    std::string_view value(Xapian::docid docid) const noexcept {
        const Place place = places_.of(docid);
        return {values_.data() + place.begin, place.size};
    }

    /// Begins to fetch what `value` will be asked for: most of the time of a product is spent
    /// waiting for the vector.
    void prefetch(Xapian::docid docid) const noexcept {
        const char* const begin = values_.data() + places_.of(docid).begin;
        __builtin_prefetch(begin);
        __builtin_prefetch(begin + 64);
    }

    std::size_t bytes() const { return values_.capacity() + places_.bytes(); }
    static constexpr bool is_whole() noexcept { return true; }

  private:
    struct Place {  ///< In values_.
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
    };

    VectorTable() = default;

    std::string values_;
    DocumentValues<Place> places_;
};

/// The lengths of a shard's documents, copied to memory, or mapped from a TableFile. Immutable.
class LengthTable {
  public:
    /// Nothing where they take more than `most_bytes`.
    static std::shared_ptr<const LengthTable> load(const Xapian::Database& shard,
                                                   std::size_t most_bytes);

    /// kUnknown where the shard didn't list the document: only the database can say more.
    static constexpr Xapian::termcount kUnknown = std::numeric_limits<Xapian::termcount>::max();
    Xapian::termcount length(Xapian::docid docid) const noexcept {
        return file_ == nullptr ? lengths_.of(docid) : of_file(docid);
    }
    static std::shared_ptr<const LengthTable> map(std::shared_ptr<const TableFile> file);
    bool is_mapped() const noexcept { return file_ != nullptr; }
    bool is_whole() const noexcept { return !is_mapped() || file_->is_whole(); }
    /// Whether kUnknown says that the shard has no such document: no part of a file is damaged.
    /// Reads the file's lengths the first time, and says later what it found then.
    bool is_sound() const noexcept;

    std::size_t bytes() const { return lengths_.bytes(); }

  private:
    LengthTable() = default;
    Xapian::termcount of_file(Xapian::docid docid) const noexcept {
        const std::uint32_t length = file_->lengths().of(docid);
        return length == TableFile::Lengths::kUnknown ? kUnknown : length;
    }

    std::shared_ptr<const TableFile> file_;  ///< Has them, or
    DocumentValues<Xapian::termcount> lengths_;
    mutable std::once_flag looked_;
    mutable bool is_sound_ = true;
};

/// Where to read the values of a shard's documents.
template <typename Table>
struct TableAccess {
    std::shared_ptr<const Table> table;  ///< Null: read from the database, and
    /// counted here, where it is anything, so that it shows when the table is worth making.
    std::shared_ptr<std::atomic<std::uint64_t>> reads;

    void count_read() const {
        if (reads != nullptr) reads->fetch_add(1, std::memory_order_relaxed);
    }
};
using VectorAccess = TableAccess<VectorTable>;
using LengthAccess = TableAccess<LengthTable>;
using TopicAccess = TableAccess<TopicTable>;
using NeighbourAccess = TableAccess<NeighbourTable>;

/// Tables of topic vectors and of documents' lengths, made once they are worth it and kept while
/// they are current. A vector spread over a database costs .6 to 5 microseconds to read, a length
/// about .1; from memory a tenth. Where the shard has a TableFile of its state, that has them.
///
/// For one database, in all states it comes to: tables are told apart by shard and revision, which
/// a copy of its files shares. Not for a WritableDatabase with changes that aren't committed.
/// May be shared between threads; one that asks for a table while another makes one waits.
class VectorTables {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    /// When a table is made, which reads all values of a slot, .2 microseconds each, or all
    /// lengths.
    enum class When {
        kFirst,    ///< When it is first asked for.
        kWorthIt,  ///< When documents were read one by one for as long as it takes to make it: so
                   ///< that the time is never more than twice that of the better choice.
    };

    /// `most_bytes` is the room for all tables.
    explicit VectorTables(std::size_t most_bytes = kMostBytes, When when = When::kFirst);
    ~VectorTables();

    /// Has no table where memory is short, and for a shard that has no revision (remote or in
    /// memory).
    VectorAccess vectors(const Xapian::Database& shard, Xapian::valueno slot);
    /// The same for a topic model's vectors; `now`: makes it if needed. Throws as
    /// TopicTable::load.
    TopicAccess topics(const Xapian::Database& shard, const TopicSlot& model,
                       std::size_t dimensions, bool now = false);
    LengthAccess lengths(const Xapian::Database& shard, bool now = false);
    /// The same of documents' neighbours.
    NeighbourAccess neighbours(const Xapian::Database& shard, const TopicSlot& model,
                               std::size_t dimensions, bool now = false);

    /// Size of all tables that are kept.
    std::size_t bytes() const;

    /// Empty, with the same limits: for another database of the same UUID, such as a copy.
    std::shared_ptr<VectorTables> another() const;

  private:
    class Cache;
    std::unique_ptr<Cache> cache_;
};

}  // namespace braid
