// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/query/lbdm_query.h"

namespace braid {

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
class LbdmSource final : public Xapian::PostingSource {
  public:
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
    double score(std::span<const double> counts, double length, const std::string& value) noexcept;
    /// No document of `database` scores more.
    double bound(const Xapian::Database& database) const;

    Xapian::doccount get_termfreq_min() const override { return 0; }
    Xapian::doccount get_termfreq_est() const override { return documents_most_; }
    Xapian::doccount get_termfreq_max() const override { return documents_most_; }
    double get_weight() const override { return weight_; }
    Xapian::docid get_docid() const override { return *documents_; }
    void next(double min_weight) override;
    void skip_to(Xapian::docid docid, double min_weight) override;
    bool check(Xapian::docid docid, double min_weight) override;
    bool at_end() const override { return documents_ == documents_end_; }

    /// Throws Xapian::InvalidOperationError where the shard, or its sidecar, doesn't hold the
    /// model.
    void init(const Xapian::Database& shard) override;

    LbdmSource* clone() const override;
    std::string name() const override;
    std::string get_description() const override;
    /// docs/formats.md. Throws Xapian::UnimplementedError where there are sidecars.
    std::string serialise() const override;
    /// Throws Xapian::SerialisationError for bytes that `serialise` didn't write.
    LbdmSource* unserialise(const std::string& serialised) const override;

  private:
    struct Plan;
    struct Postings {
        Xapian::PostingIterator at, end;
    };

    LbdmSource(std::shared_ptr<const Plan> plan, std::vector<Xapian::Database> sidecars);
    bool look();
    void find_match();
    bool open_topics(const std::string& value) noexcept;

    std::shared_ptr<const Plan> plan_;
    std::vector<Xapian::Database> sidecars_;
    Xapian::PostingIterator documents_, documents_end_;  ///< All of the shard.
    Xapian::ValueIterator values_, values_end_;
    std::vector<Postings> postings_;  ///< Of each word.
    std::vector<double> counts_;      ///< In the current document.
    std::vector<float> components_;   ///< Room for a document's vector,
    std::vector<double> topics_;      ///< and for p(z|d) of all chains, over their number.
    Xapian::doccount documents_most_ = 0;
    bool started_ = false;
    double weight_ = 0;
};

}  // namespace braid
