// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <xapian.h>

#include "braid/plugin/sources/time_limit.h"
#include "braid/plugin/sources/topic_column.h"

namespace braid {

/// What was found in a shard, for a source that is asked for the same once more: with the words'
/// documents, or without.
struct FoundSimilar {
    TopicFinding finding;
    bool is_there = false;
    std::vector<Xapian::docid> docids;  ///< Ascending.
    double floor = 0;                   ///< As the search has raised it.

    bool answers(TopicFinding asked) const {
        asked.others_only = finding.others_only;
        return is_there && asked == finding;
    }
};

/// Finds the documents of a shard that topics alone can make results of, cluster by cluster in the
/// order of their bounds: docs/algorithms/hybrid.md.
class SimilarDocuments {
  public:
    /// `columns` have tables. No document scores more than its topics' parts and `beyond`, where
    /// no word of the query is in it. Counts in `counters`. Borrows all of them.
    SimilarDocuments(const std::vector<TopicColumn>& columns, const TopicFinding& finding,
                     double beyond, FusedCounters& counters, TimeLimit* limit = nullptr);

    /// All documents, ascending, without a word of the query that reach the floor; and others. Once
    /// the limit is over, some.
    std::vector<Xapian::docid> find();

    /// The finding's, as the search has raised it.
    double floor() const { return floor_; }

  private:
    struct Place {
        std::uint32_t cluster = 0;
        double centroid = 0;  ///< Cosine of the query with it.
        double bound = 0;     ///< Of the product with any member.
    };
    struct Found {
        Xapian::docid docid = 0;
        double score = 0;  ///< By topics alone.
    };

    std::vector<Place> places() const;
    double most_in(const Place& place) const;
    double member_bound(double centroid, double cosine) const;
    double wanted_product() const;
    void choose_from(const Place& place);
    void choose(std::uint32_t begin, std::uint32_t end);
    void look_at_chosen();
    void visit_others();
    void look(std::uint32_t row);
    void add(Xapian::docid docid, double score);
    bool misses(double score) const;
    bool is_over() { return limit_ != nullptr && limit_->is_over(); }

    const std::vector<TopicColumn>& columns_;
    const TopicColumn* lead_ = nullptr;  ///< The one of the largest weight.
    TopicFinding finding_;
    double beyond_;
    double others_ = 0;  ///< Bound of all parts but the lead's.
    double length_ = 0;  ///< Of the query's vector.
    double margin_ = 0;
    double floor_;
    FusedCounters* counters_;
    TimeLimit* limit_;                   ///< Null: none.
    std::vector<std::uint64_t> chosen_;  ///< A bit for each row of the lead's.
    std::vector<std::uint32_t> rows_;    ///< Of those.
    std::vector<Found> found_;
    std::vector<double> best_;  ///< A heap, the least first.
};

/// Takes out documents that the shard doesn't have; they ascend.
void keep_existing(const Xapian::Database& shard, std::vector<Xapian::docid>& documents);

}  // namespace braid
