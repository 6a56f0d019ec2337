// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/plugin/sources/slot_source.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/store/document_values.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/topic_table.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {

/// Input of docs/algorithms/neighbours.md's score besides the documents: a plain value, the same
/// for all shards.
struct NeighbourQuery {
    TopicSlot model = {};
    std::size_t neighbours = kUsualNeighbours;  ///< Of each document.
    NeighbourSettings settings = {};
    double longest = 1e7;     ///< Longest length that a document counts as, in words.
    double length_scale = 1;  ///< Words per unit of Xapian's document length: over 0, at most 1.
    std::vector<SourceWord> words = {};

    bool operator==(const NeighbourQuery&) const = default;
};

/// Throws InvalidArgument if scores could be negative or not finite.
BRAID_API void validate(const NeighbourQuery& query);

/// Scores documents of a database by their words and their neighbours', whose postings it reads
/// once, when it is made: .1 microseconds each. For one thread.
class NeighbourScorer {
  public:
    /// `shards` is how many databases `database` consists of: neighbours are in the same shard.
    /// Throws Xapian's errors, and Xapian::DatabaseCorruptError for lists out of order.
    /// `lengths` and `postings`, where they aren't null, have the documents' lengths and words'
    /// postings in memory.
    NeighbourScorer(std::shared_ptr<const NeighbourQuery> query, const Xapian::Database& database,
                    std::size_t shards, const LengthTable* lengths = nullptr,
                    PostingTables* postings = nullptr);

    /// (2) and (3) of a document of that length in Xapian's sense, with that value in the slot.
    /// 0 or more; 0 for an empty document. Without neighbours, or with damaged ones, only its own
    /// words count. Neither allocates nor throws.
    double score(Xapian::docid docid, double length, std::string_view value) noexcept;

    /// No document scores more.
    double bound() const;

    // Of all documents at once, of one shard:

    /// Gives each document its neighbours' words, but for common ones. False where that would take
    /// too much memory.
    bool spread(const NeighbourTable& table);
    /// Adds `lift` for each that has a word or whose neighbours have one; and for each behind the
    /// table's end, which is that of a sidecar where documents came after it was made.
    void lift(std::span<float> lifts, float lift) const;
    /// What the scores of all others lie between.
    PartRange other_range() const;
    /// What the score of a document of that length lies between, after `spread`.
    PartRange range(Xapian::docid docid, Xapian::termcount length);

    /// Damaged values so far.
    std::uint64_t damaged() const noexcept { return damaged_; }

  private:
    struct Posting {
        Xapian::docid docid;
        std::uint32_t word;
        float share;
    };
    std::vector<Posting> read_postings(const Xapian::Database& database, const LengthTable* lengths,
                                       PostingTables* postings);
    void make_rows(const std::vector<Posting>& postings);
    float share_of(Xapian::termcount count, Xapian::termcount length) const;
    const float* shares_of(Xapian::docid docid) const noexcept {
        const std::uint32_t row = docid < row_of_.size() ? row_of_[docid] : rows_.of(docid);
        return row == 0 ? nullptr : shares_.data() + (row - 1) * most_.size();
    }

    std::shared_ptr<const NeighbourQuery> query_;
    std::size_t shards_;
    std::uint8_t tag_;
    double shortest_ = 1, longest_ = 1;   ///< Documents, in words.
    std::vector<std::uint32_t> row_of_;   ///< By docid, of shares_, from 1; 0 for none. Else
    DocumentValues<std::uint32_t> rows_;  ///< here, where docids are large.
    std::vector<float> shares_;           ///< Of each word in the documents that have any.
    std::vector<double> most_;            ///< Of each word's shares.
    std::vector<double> mixed_;           ///< Of the document at hand.
    double words_ = 0;                    ///< Sum of all c(w, q).
    std::vector<Xapian::docid> docids_;   ///< By row.
    const NeighbourTable* near_ = nullptr;
    std::vector<char> is_spread_;      ///< By word: others are in too many documents.
    std::vector<float> spread_;        ///< Neighbours' shares, by docid and word.
    std::vector<std::uint8_t> marks_;  ///< By docid: for `lift`.
    std::vector<double> factors_;      ///< Of each word's shares in (3), without N_d.
    PartMemo length_gains_;
    bool has_empty_ = false;  ///< Documents.
    std::uint64_t damaged_ = 0;
};

/// A bound of those scores from the database's statistics alone: larger than NeighbourScorer's, and
/// free.
double neighbour_bound(const NeighbourQuery& query, const Xapian::Database& database);

/// Documents expanded by their neighbours as a part of a Xapian query: weight * score, never
/// negative. It matches documents of a score above 0, which are nearly all: OP_AND_MAYBE joins it
/// to a text query. Cost: each word's postings once in each shard; then for each document looked
/// at, its value and a lookup for each neighbour.
///
/// One object belongs to one thread; copies share the query.
class NeighbourSource final : public SentSource<NeighbourSource, DocumentSource> {
  public:
    static constexpr SentAs kSentAs{"braid::NeighbourSource", 1};
    /// Throws Xapian::UnimplementedError where there are sidecars.
    void write_bytes(ByteWriter& out) const;
    std::unique_ptr<NeighbourSource> read_bytes(ByteReader& in) const;

    /// For registration only: see register_all.
    NeighbourSource();

    /// Where `sidecars` are given, neighbours are theirs, and the source can't be sent to a remote
    /// database. Throws InvalidArgument for a weight that is negative or not finite, and as
    /// validate() does.
    NeighbourSource(NeighbourQuery query, double weight,
                    std::vector<Xapian::Database> sidecars = {});

    ~NeighbourSource() override;

    const NeighbourQuery& query() const { return *query_; }

    /// Throws Xapian::InvalidOperationError where the shard, or its sidecar, doesn't hold the
    /// model.
    void init(const Xapian::Database& shard) override;

    bool prepare_ranges(const Xapian::Database& shard, bool now) override;
    void lift(std::span<float> lifts) const override;
    PartRange other_range() const override;
    std::size_t range_cost() const override { return query_->words.size(); }
    void ranges(std::span<const Xapian::docid> documents, std::span<PartRange> result) override;

    NeighbourSource* clone() const override;
    std::string get_description() const override;

    /// Damaged values that this source and its copies have met.
    std::uint64_t damaged() const noexcept { return *damaged_; }

  private:
    double weigh(Xapian::docid docid, Xapian::termcount length, std::string_view value) override;
    PartRange weighted(const PartRange& range) const {
        return {weight_ * range.least, weight_ * range.most};
    }

    std::shared_ptr<const NeighbourQuery> query_;
    double weight_;
    std::vector<Xapian::Database> sidecars_;
    std::shared_ptr<std::uint64_t> damaged_;
    std::optional<NeighbourScorer> scorer_;  ///< Of the shard.
    Xapian::Database holder_;
    NeighbourAccess near_;  ///< For `ranges`,
    LengthAccess lengths_;  ///< and this.
};

}  // namespace braid
