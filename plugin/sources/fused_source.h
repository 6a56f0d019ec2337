// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/query/proximity_query.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/sources/time_limit.h"
#include "braid/plugin/sources/topic_column.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/search_result.h"

namespace braid {

class BagMatcher;

/// A topic model's part of a fused score: weight * max(0, cos).
struct FusedTopic {
    TopicSlot model;
    std::vector<float> query;  ///< Of length 1 or all zero, as StoredTopicModel::fold makes it.
    double weight = 0;
};

/// A proximity ranker's part of a fused score. The query's terms are those of the bag.
struct FusedProximity {
    ProximityQuery query;
    double weight = 0;
};

/// A whole fusion model over a bag of words as one posting source: the documents that an OR, or
/// an AND, of terms matches, each with the weighted sum of all rankers of words, of topic models
/// and of pairs of words. It prunes by the least weight that Xapian still has room for, and reads a
/// document's vector, and its words' positions, only where that can matter:
/// docs/algorithms/pruning.md.
///
/// Scores have the same bits on any number of shards, for any page, pruned or not: the statistics
/// of the whole database are part of the source. They equal FusedWeight's and TopicSource's to
/// 1e-12 relative.
///
/// As the root of a query it is given exact least weights. OP_FILTER restricts it;
/// Query(OP_AND_MAYBE, source, 0 x text) keeps matching terms and snippets at the same scores. The
/// weighting scheme may be any but BoolWeight, which makes Xapian ignore sources' weights.
/// It must not be below OP_SCALE_WEIGHT, unless `ignore_least` was called: Xapian doesn't divide
/// the least weight by the factor, and results would be missing.
///
/// One object and its copies belong to one thread: they share counters and what was found similar.
class FusedSource final : public SentSource<FusedSource> {
  public:
    static constexpr SentAs kSentAs{"braid::FusedSource", 6};
    /// Throws Xapian::UnimplementedError where there are sidecars or a time limit.
    void write_bytes(ByteWriter& out) const;
    /// Gives it this source's tables, which is how a server has any.
    std::unique_ptr<FusedSource> read_bytes(ByteReader& in) const;

    /// Matches nothing: of no use but to be registered, see register_all.
    FusedSource();

    /// The lexical rankers of `model` over `bag`, `topics` and `proximities`, added up in that
    /// order; other rankers of the model are the caller's to turn into these. Where `sidecars` are
    /// given, a shard's vectors are those of the sidecar that was made for it, and the source can't
    /// be sent to a remote database. Throws InvalidArgument where why_not says why, where the bag
    /// lacks a field that a ranker scores or has another, for a weight of a topic or of proximity
    /// that is negative or not finite, for a vector that is not finite, and for a proximity query
    /// of other terms.
    FusedSource(const FusionModel& model, BagOfWords bag,
                const std::vector<FusedTopic>& topics = {},
                std::vector<Xapian::Database> sidecars = {},
                std::vector<FusedProximity> proximities = {});

    ~FusedSource() override;

    /// Reads vectors and documents' lengths from memory from now on, in this source and copies made
    /// after; those of shards that `tables` has no table for from the database still. Scores are
    /// the same.
    void use_tables(std::shared_ptr<VectorTables> tables);
    /// The same of the terms' postings.
    void use_postings(std::shared_ptr<PostingTables> postings);

    /// Ends, in this source and copies made after, once `limit` is over; null for never. Scores of
    /// what was found by then are whole. The source can't be sent to a remote database then.
    void stop_at(std::shared_ptr<TimeLimit> limit) { limit_ = std::move(limit); }

    /// Counts in what `other` counts in, from now on and in copies made after.
    void count_with(const FusedSource& other) { counters_ = other.counters_; }

    /// Says, of this source and copies made after, that something around it leaves out many of its
    /// documents: scores are then computed once they are asked for. They are the same. The source
    /// must not be to the right of an OP_AND_MAYBE then, nor after `find_similar`.
    void expect_filter() { filtered_ = true; }

    /// Makes this source and copies made after take no notice of the least weights that Xapian
    /// gives, so that they may be anywhere in a query, below OP_SCALE_WEIGHT too. They prune
    /// nothing then. Takes back `expect_filter`.
    void ignore_least() {
        ignores_least_ = true;
        filtered_ = false;
    }

    /// Says, of this source and copies made after, that what OP_AND_MAYBE joins to it adds `most`
    /// to a weight at the most. It gives its largest weight as that much larger, so that Xapian
    /// never makes an AND of the AND_MAYBE, by which it may lose a document.
    /// Throws InvalidArgument for less than 0 and what isn't finite.
    void expect_beside(double most);

    /// Makes this source and copies made after find documents that a topic model has similar to the
    /// query, too, whatever their words: as a union with TopicSources would, each with its whole
    /// score, but for those that `finding` says are not wanted. Reads all vectors of a shard unless
    /// `use_tables` has them in memory. `finding.floor` must be below what this source's best have
    /// by what is around it.
    void find_similar(const TopicFinding& finding) { finding_ = finding; }
    /// Takes that back.
    void find_words_only() { finding_.reset(); }

    /// Says, of this source and copies made after, that all postings of its words will be read:
    /// they are read into memory, where `use_postings` has room.
    void read_all_postings() { reads_all_ = true; }
    /// Of the shard: for JointSource.
    BagMatcher& matcher() const;

    /// Why the source can't serve that query with that model, as a sentence; "" if it can.
    /// Throws UnknownComponent for rankers there are not.
    static std::string why_not(const Xapian::Query& query, const FusionModel& model);

    /// Counts of this source and all its copies since construction, over all shards of a match.
    /// What a remote database does is not counted.
    const FusedCounters& counters() const;

    double get_weight() const override;
    Xapian::docid get_docid() const override;
    bool at_end() const override;
    void next(double min_weight) override;
    void skip_to(Xapian::docid docid, double min_weight) override;
    /// Scores that document alone, so that what a filter leaves out is never scored. Where it
    /// can't be a result, the source then stands at the next that has the words, and
    /// `get_weight` scores that one: 0 where it is below the least weight. After `expect_filter`
    /// or `find_similar` it answers no instead.
    bool check(Xapian::docid docid, double min_weight) override;
    Xapian::doccount get_termfreq_min() const override;
    Xapian::doccount get_termfreq_est() const override;
    Xapian::doccount get_termfreq_max() const override;

    /// Throws Xapian::InvalidOperationError where the shard, or its sidecar, doesn't hold one of
    /// the topic models, or keeps no records of its documents and a ranker needs these.
    void init(const Xapian::Database& shard) override;

    FusedSource* clone() const override;
    std::string get_description() const override;

  private:
    struct Plan;
    struct State;

    FusedSource(std::shared_ptr<const Plan> plan, std::vector<Xapian::Database> sidecars,
                std::shared_ptr<FusedCounters> counters);
    const Xapian::Database& holder_of_vectors(const Xapian::Database& shard) const;
    TopicAccess vectors_of(const Xapian::Database& holder, const TopicSlot& model,
                           std::size_t dimensions, bool now) const;

    std::shared_ptr<const Plan> plan_;
    std::vector<Xapian::Database> sidecars_;
    std::shared_ptr<FusedCounters> counters_;
    std::shared_ptr<VectorTables> tables_;
    std::shared_ptr<PostingTables> postings_;
    double beside_ = 0;
    bool filtered_ = false;
    bool ignores_least_ = false;
    bool reads_all_ = false;
    std::optional<TopicFinding> finding_;
    std::shared_ptr<TimeLimit> limit_;
    std::unique_ptr<State> state_;  ///< None before `init`.
};

}  // namespace braid
