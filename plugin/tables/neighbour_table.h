// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <xapian.h>

#include "braid/plugin/tables/topic_table.h"

namespace braid {

/// The documents' neighbours in one shard, turned round: whose neighbour is a document? So the
/// words of a few documents reach all that they count for. 4 bytes for each pair and 5 for each
/// document's number. Immutable.
class NeighbourTable {
  public:
    /// `dimensions` is how many neighbours a document has room for. Null where it would take more
    /// than `most_bytes`, or docids are too far apart. Damaged values, and another model's, count
    /// as no neighbours. Throws Xapian::DatabaseCorruptError for values out of order.
    static std::shared_ptr<const NeighbourTable> load(const Xapian::Database& shard,
                                                      const TopicSlot& model,
                                                      std::size_t dimensions,
                                                      std::size_t most_bytes);

    /// Documents that have that one as a neighbour; as often as they have it.
    std::span<const Xapian::docid> of(Xapian::docid neighbour) const noexcept {
        if (neighbour >= counts_.size()) return {};
        return std::span(near_).subspan(begins_[neighbour],
                                        begins_[neighbour + 1] - begins_[neighbour]);
    }
    /// How many neighbours a document has.
    std::size_t count(Xapian::docid docid) const noexcept {
        return docid < counts_.size() ? counts_[docid] : 0;
    }
    /// No document has a higher number.
    std::size_t docids() const noexcept { return counts_.size(); }

    std::size_t bytes() const noexcept {
        return (begins_.size() + near_.size()) * sizeof(std::uint32_t) + counts_.size();
    }
    static constexpr bool is_whole() noexcept { return true; }

  private:
    NeighbourTable() = default;

    std::vector<std::uint32_t> begins_;  ///< By docid, in near_; and the end.
    std::vector<Xapian::docid> near_;
    std::vector<std::uint8_t> counts_;  ///< By docid.
};

}  // namespace braid
