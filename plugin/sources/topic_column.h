// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <xapian.h>

#include "braid/core/vectors/query_vector.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/search_result.h"

namespace braid {

/// What a FusedSource is to find beside the documents that match its words: those that a topic
/// model has similar to the query. docs/algorithms/hybrid.md.
struct TopicFinding {
    /// A score that so many documents reach as are wanted: nothing below it is looked for.
    double floor = 0;
    /// As many results are wanted, where nothing leaves documents out after the source: it raises
    /// `floor` by itself then. 0: it doesn't.
    std::size_t best = 0;
    /// Clusters to look through in each shard, the most promising first; 0: all that can have a
    /// result, and the answer is exact.
    std::size_t most_clusters = 0;
    /// Leave out what the words match.
    bool others_only = false;
    /// `check` takes any document, whatever its words and topics. For use by one process.
    bool any = false;

    bool operator==(const TopicFinding&) const = default;
};

/// What a part of a document's score lies between.
struct PartRange {
    double least = 0;
    double most = 0;
};

/// A topic model's part of the score in one shard: weight * max(0, cos) of the query's vector and
/// a document's, 0 if the document has none.
class TopicColumn {
  public:
    /// Vectors are read from `access`, or from the slot of `holder` where that has no table.
    /// Counts in `counters`, which outlives the column.
    TopicColumn(std::shared_ptr<const QueryVector> query, std::uint8_t tag, double weight,
                TopicAccess access, const Xapian::Database& holder, Xapian::valueno slot,
                FusedCounters& counters);

    const QueryVector& query() const { return *query_; }
    double weight() const { return weight_; }
    /// Bound of every document's part.
    double bound() const { return bound_; }
    const TopicTable* table() const { return access_.table.get(); }
    /// Reads from that table from now on.
    void use(std::shared_ptr<const TopicTable> table);

    /// Begins to fetch what `part_bound` takes; gives the document's row, kNoRow where there is no
    /// vector or no table.
    std::uint32_t fetch(Xapian::docid docid) const {
        if (table() == nullptr) return TopicTable::kNoRow;
        const std::uint32_t row = table()->row(docid);
        if (row < TopicTable::kUnknownRow) table()->prefetch(row);
        return row;
    }
    /// The same of all that `part` takes beside.
    void fetch_rest(std::uint32_t row) const {
        if (row < TopicTable::kUnknownRow) table()->prefetch_rest(row);
    }
    /// No less than `part` of the document whose row `fetch` gave.
    double bound_of(std::uint32_t row) const {
        if (row != TopicTable::kNoRow) return row_bound(row);
        return table() == nullptr ? bound_ : 0;
    }

    /// No less than `part`, by what is read fastest.
    double part_bound(Xapian::docid docid) const {
        return table() == nullptr ? bound_ : bound_of(table()->row(docid));
    }
    double row_bound(std::uint32_t row) const {
        if (!table()->is_sound(row)) return bound_;
        const double product = query_->dot_bound(table()->vector(row), table()->rest(row));
        return weight_ * std::clamp(product, 0.0, 1.0);
    }

    /// What `part` of the document lies between whose row `fetch` gave; with a table.
    PartRange range_of(std::uint32_t row) const {
        if (row == TopicTable::kNoRow) return {};
        if (!table()->is_sound(row)) return {0, bound_};
        const double part = row_part(row);
        return {part, part};
    }

    /// Without a table, or with a mapped one, documents must not descend from call to call.
    double part(Xapian::docid docid);
    /// Not for a mapped table.
    double row_part(std::uint32_t row) const;

  private:
    double similarity(const StoredVector& stored) const;
    std::string_view read_value(Xapian::docid docid);

    std::shared_ptr<const QueryVector> query_;
    std::uint8_t tag_;
    double weight_;
    double bound_;
    TopicAccess access_;
    Xapian::Database holder_;
    Xapian::valueno slot_;
    bool reads_values_ = false;  ///< Of documents that no table has.
    Xapian::ValueIterator values_;
    std::string buffer_;  ///< What a value of that is copied to.
    FusedCounters* counters_;
};

}  // namespace braid
