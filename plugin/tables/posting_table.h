// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {

/// One term's postings in a shard, decoded: documents, and how often each has the term and how long
/// it is. 8 bytes a posting, in arrays that are read from end to end. Immutable.
class PostingTable {
  public:
    static constexpr Xapian::docid kEnd = std::numeric_limits<Xapian::docid>::max();
    static constexpr std::size_t kBlock = 64;  ///< Postings that are skipped as one.

    /// About 30 nanoseconds a posting. Lengths are read from `lengths`, or from the database, .1
    /// microseconds more each, where that is nullptr.
    static std::shared_ptr<const PostingTable> load(const Xapian::Database& shard,
                                                    const std::string& term,
                                                    const LengthTable* lengths);

    std::size_t size() const noexcept { return counts_.size(); }

    /// The docid of the posting in that place; kEnd in the place size().
    Xapian::docid docid(std::size_t place) const noexcept { return docids_[place]; }
    Xapian::termcount occurrences(std::size_t place) const noexcept {
        const std::uint32_t count = counts_[place];
        return count < kLarge ? count >> kLengthBits : large(place).occurrences;
    }
    Xapian::termcount length(std::size_t place) const noexcept {
        const std::uint32_t count = counts_[place];
        return count < kLarge ? count & kLongest : large(place).length;
    }
    /// The index of its group in groups().
    std::size_t group(std::size_t place) const noexcept {
        return std::min<std::size_t>(counts_[place] >> kLengthBits, kGroups - 1);
    }

    /// The place of the first posting from `from` on with that document or a later one; `from` may
    /// be size().
    std::size_t find(std::size_t from, Xapian::docid target) const noexcept {
        if (docids_[from] >= target) return from;
        if (docids_[from + 1] >= target) return from + 1;
        const std::size_t block = block_of(from / kBlock, target);
        const Xapian::docid* const first = docids_.data() + block * kBlock;
        std::size_t before = 0;
        for (std::size_t i = 0; i < kBlock; ++i) before += first[i] < target ? 1 : 0;
        return block * kBlock + before;
    }

    /// What postings of 0, 1, 2, 3 occurrences have in common, and those of more; with these are
    /// those of documents too long for 24 bits.
    struct Group {
        bool empty = true;
        Xapian::termcount occurrences_max = 0;
        Xapian::termcount length_min = 0;
        Xapian::termcount length_max = 0;
    };
    static constexpr std::size_t kGroups = 5;
    const std::array<Group, kGroups>& groups() const noexcept { return groups_; }

    std::size_t bytes() const noexcept;

  private:
    // A posting is occurrences << kLengthBits | length, where that is below kLarge.
    static constexpr int kLengthBits = 24;
    static constexpr std::uint32_t kLongest = (std::uint32_t{1} << kLengthBits) - 1;
    static constexpr std::uint32_t kLarge = std::uint32_t{255} << kLengthBits;

    struct Large {
        std::size_t place = 0;
        Xapian::termcount occurrences = 0;
        Xapian::termcount length = 0;
    };

    PostingTable() = default;
    void add(Xapian::docid docid, Xapian::termcount occurrences, Xapian::termcount length);
    void finish();
    const Large& large(std::size_t place) const noexcept;

    // The first block from `block` on that ends at the target or later: in leaps that double, then
    // by halves.
    std::size_t block_of(std::size_t block, Xapian::docid target) const noexcept {
        std::size_t leap = 1;
        while (block + leap < lasts_.size() && lasts_[block + leap - 1] < target) {
            block += leap;
            leap *= 2;
        }
        const auto begin = lasts_.begin() + static_cast<std::ptrdiff_t>(block);
        const std::size_t end = std::min(block + leap, lasts_.size());
        return static_cast<std::size_t>(
            std::lower_bound(begin, lasts_.begin() + static_cast<std::ptrdiff_t>(end), target) -
            lasts_.begin());
    }

    std::vector<Xapian::docid> docids_;  ///< With at least one kEnd, up to the end of a block.
    std::vector<Xapian::docid> lasts_;   ///< The last docid of each block.
    std::vector<std::uint32_t> counts_;
    std::vector<Large> large_;  ///< By place: numbers too large for counts_.
    std::array<Group, kGroups> groups_;
};

using PostingAccess = TableAccess<PostingTable>;

/// Postings of the terms that queries have, decoded once and kept while they are current and there
/// is room; the terms that were asked for longest ago make way. From the database a posting takes
/// 30 nanoseconds and more, from memory about 2.
///
/// For one database, in all states it comes to: tables are told apart by shard and revision, which
/// a copy of its files shares. Not for a WritableDatabase with changes that aren't committed.
/// May be shared between threads; one that asks for a table while another makes it doesn't wait,
/// and reads the database.
class PostingTables {
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
    /// `lengths` are the shard's, or nullptr. `now`: all postings will be read, so that a table is
    /// worth it.
    std::vector<PostingAccess> find(const Xapian::Database& shard,
                                    std::span<const std::string_view> terms,
                                    const LengthTable* lengths, bool now = false);

    /// Size of everything that is kept.
    std::size_t bytes() const;

    /// Empty, with the same limits: for another database of the same UUID, such as a copy.
    std::shared_ptr<PostingTables> another() const;

  private:
    class Cache;
    std::unique_ptr<Cache> cache_;
};

}  // namespace braid
