// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/proximity.h"
#include "braid/plugin/query/proximity_query.h"

namespace braid {

/// Scores documents of a database by the places of a query's adjacent words:
/// docs/algorithms/proximity.md. Reads positions only where `score` is called. For one thread.
///
/// `counts` are a document's occurrences of the query's terms, one for each.
class ProximityScorer {
  public:
    ProximityScorer(std::shared_ptr<const ProximityQuery> query, const Xapian::Database& database);

    /// (2), with the occurrences that `counts` has. Costs a lookup for each form of words that
    /// stand in a pair which the document has, one more and the positions for those it has;
    /// documents that descend cost more. Throws Xapian's errors.
    double score(Xapian::docid docid, std::span<const double> counts, double length);

    /// (4), with rounding allowed for: no document of at most so many occurrences and at least that
    /// length scores more. Reads nothing.
    double bound(std::span<const double> counts, double length) const;

    /// How often the pair's words stand next to each other, and near, in the document that was
    /// scored last; for each pair that has any: "memory leak: 1 adjacent, 2 near".
    std::string note() const;

    /// Documents so far that have a word of a pair, and no place of it.
    std::uint64_t without_positions() const { return without_positions_; }

  private:
    struct Form {
        std::string term;
        Xapian::PostingIterator postings;
    };
    struct Word {
        std::size_t first = 0;                 ///< Of its terms.
        std::vector<Form> forms;               ///< Once positions were asked for.
        std::vector<std::uint32_t> positions;  ///< In the current document,
        bool is_read = false;                  ///< once they are read.
    };

    double count_of(std::size_t word, std::span<const double> counts) const;
    const std::vector<std::uint32_t>& positions_of(std::size_t number, Xapian::docid docid);

    std::shared_ptr<const ProximityQuery> query_;
    Xapian::Database database_;
    WindowGain gain_;
    std::vector<Word> words_;
    struct Pair {
        double rarity = 0;
        bool is_one_word = false;
        double ordered = 0, unordered = 0;  ///< Windows in the document scored last.
    };
    std::vector<Pair> pairs_;
    Xapian::docid last_ = 0;
    std::uint64_t without_positions_ = 0;
};

/// The proximity rankers of a model in one shard, each with its weight. Empty: there are none.
class ProximityColumns {
  public:
    void add(double weight, ProximityScorer scorer) {
        columns_.push_back({weight, std::move(scorer)});
    }
    bool empty() const { return columns_.empty(); }

    double bound(std::span<const double> counts, double length) const {
        double sum = 0;
        for (const Column& column : columns_) {
            sum += column.weight * column.scorer.bound(counts, length);
        }
        return sum;
    }
    /// Adds to `sum` one ranker after the other.
    double add_to(double sum, Xapian::docid docid, std::span<const double> counts, double length) {
        for (Column& column : columns_) {
            sum += column.weight * column.scorer.score(docid, counts, length);
        }
        return sum;
    }
    std::uint64_t without_positions() const {
        std::uint64_t most = 0;
        for (const Column& column : columns_) {
            most = std::max(most, column.scorer.without_positions());
        }
        return most;
    }

  private:
    struct Column {
        double weight;
        ProximityScorer scorer;
    };
    std::vector<Column> columns_;
};

}  // namespace braid
