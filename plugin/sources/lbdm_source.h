// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/topics/lbdm.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/error.h"
#include "braid/plugin/sources/slot_source.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/topic_table.h"

namespace braid {

/// A word of a query for LbdmSource.
struct LbdmWord : SourceWord {
    std::vector<float> topics = {};  ///< p(w|z) of all chains; empty for an unknown word.

    bool operator==(const LbdmWord&) const = default;
};

/// Input of docs/algorithms/lbdm.md's score besides the documents: a plain value, the same for all
/// shards.
struct LbdmQuery {
    TopicSlot model = {};
    std::size_t dimensions = 1;  ///< Dimensions of documents' vectors, over all chains.
    std::size_t chains = 1;
    LbdmSettings settings = {};
    double longest = 1e7;     ///< Longest length that a document counts as, in words.
    double length_scale = 1;  ///< Words per unit of Xapian's document length: over 0, at most 1.
    std::vector<LbdmWord> words = {};

    bool operator==(const LbdmQuery&) const = default;
};

/// Throws InvalidArgument if scores could be negative or not finite.
BRAID_API void validate(const LbdmQuery& query);

/// The LDA-based document model as a part of a Xapian query: weight * score, where the score is
/// (4) of docs/algorithms/lbdm.md and never negative. It matches the documents of a score above 0,
/// which are nearly all: OP_AND_MAYBE joins it to a text query.
///
/// A document whose vector is missing, damaged, or of another model has no topics' part, but still
/// its words'. An empty document has score 0, and so has every document for a query without words.
/// Cost: for each document looked at, its vector, once for all words; and of each word's postings
/// what is passed over.
///
/// One object belongs to one thread; copies share the query.
class LbdmSource final : public SentSource<LbdmSource, DocumentSource> {
  public:
    static constexpr SentAs kSentAs{"braid::LbdmSource", 1};
    /// Throws Xapian::UnimplementedError where there are sidecars.
    void write_bytes(ByteWriter& out) const;
    std::unique_ptr<LbdmSource> read_bytes(ByteReader& in) const;

    /// For registration only: see register_all.
    LbdmSource();

    /// Where `sidecars` are given, vectors are theirs, and the source can't be sent to a remote
    /// database. Throws InvalidArgument for a weight that is negative or not finite, and what
    /// validate() does.
    LbdmSource(LbdmQuery query, double weight, std::vector<Xapian::Database> sidecars = {});

    ~LbdmSource() override;

    const LbdmQuery& query() const;

    /// Damaged values that this source and its copies have met.
    std::uint64_t damaged() const noexcept;

    /// The score of a document that has each word of the query so many times, in their order;
    /// of a length in Xapian's sense; and with that value in the slot.
    double score(std::span<const double> counts, double length, std::string_view value) noexcept;
    /// No document of `database` scores more.
    double bound(const Xapian::Database& database) const;

    /// Throws Xapian::InvalidOperationError where the shard, or its sidecar, doesn't hold the
    /// model.
    void init(const Xapian::Database& shard) override;

    bool prepare_ranges(const Xapian::Database& shard, bool now) override;
    void lift(std::span<float> lifts) const override;
    PartRange other_range() const override { return other_; }
    std::size_t range_cost() const override;
    void ranges(std::span<const Xapian::docid> documents, std::span<PartRange> result) override;

    LbdmSource* clone() const override;
    std::string get_description() const override;

  private:
    struct Plan;
    struct Postings {
        Xapian::PostingIterator at, end;
    };

    LbdmSource(std::shared_ptr<const Plan> plan, std::vector<Xapian::Database> sidecars);
    double weigh(Xapian::docid docid, Xapian::termcount length, std::string_view value) override;
    bool open_topics(std::string_view value) noexcept;
    void set_other_range(const Xapian::Database& shard);
    double word_most(const Xapian::Database& shard, std::size_t word) const;

    std::shared_ptr<const Plan> plan_;
    std::vector<Xapian::Database> sidecars_;
    std::vector<Postings> word_postings_;  ///< Of each word.
    std::vector<double> counts_;           ///< In the current document.
    std::vector<float> components_;        ///< Room for a document's vector,
    std::vector<double> topics_;           ///< and for p(z|d) of all chains, over their number.
    PartRange other_;
    std::vector<float> lifts_;  ///< Of documents that have each word.
    Xapian::Database holder_;
    TopicAccess table_;                  ///< For `ranges`:
    LengthAccess lengths_;               ///< documents,
    std::vector<PostingAccess> words_;   ///< each word's postings
    std::vector<QueryVector> products_;  ///< and topics, and last a vector of ones.
};

}  // namespace braid
