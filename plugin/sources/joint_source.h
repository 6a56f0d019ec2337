// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/sources/fused_source.h"

namespace braid {

/// A whole model as the root of a query, where parts of it are costly or count for few documents:
///
///     words    a FusedSource of the documents that have any word of the query
///     all      a FusedSource of those that have all words, with the same parts and all-words
///     late     sources that give each document a part, by which no document is found
///
/// A document's weight is that of `all` if it is there, else that of `words`, and what each late
/// source adds, in their order. Late sources are asked only while the document can still reach the
/// least weight: each has a bound. `all` apart, documents without all words are pruned as if the
/// ranker all-words were not there, whose bound would let no document be given up.
///
/// Scores are those of OP_AND_MAYBE of the parts, to 1e-12 relative. For databases here, not on
/// servers, and not to the right of another operator: `check` may go on to the next document.
class JointSource final : public Xapian::PostingSource {
  public:
    /// Takes clones. `all` may be null.
    JointSource(const FusedSource& words, const FusedSource* all,
                const std::vector<std::shared_ptr<const Xapian::PostingSource>>& late);
    ~JointSource() override;

    double get_weight() const override;
    Xapian::docid get_docid() const override { return position_; }
    bool at_end() const override { return ended_; }
    void next(double min_weight) override;
    void skip_to(Xapian::docid docid, double min_weight) override;
    bool check(Xapian::docid docid, double min_weight) override;
    Xapian::doccount get_termfreq_min() const override { return words_->get_termfreq_min(); }
    Xapian::doccount get_termfreq_est() const override { return words_->get_termfreq_est(); }
    Xapian::doccount get_termfreq_max() const override { return words_->get_termfreq_max(); }

    void init(const Xapian::Database& shard) override;

    JointSource* clone() const override;
    std::string name() const override { return "braid::JointSource"; }
    std::string get_description() const override;
    /// Throws Xapian::UnimplementedError: servers have the parts apart.
    std::string serialise() const override;

  private:
    std::unique_ptr<FusedSource> words_;
    std::unique_ptr<FusedSource> all_;
    std::vector<std::shared_ptr<Xapian::PostingSource>> late_;
    std::vector<double> rest_;  ///< Bounds of late_[i] and those after it, and 0 at the end.
    double least_ = 0;          ///< Weight that the document stood at has to reach.
    Xapian::docid position_ = 0;
    bool ended_ = false;
    mutable double weight_ = 0;     ///< Of the document,
    mutable bool weighed_ = false;  ///< once it was asked for.
};

}  // namespace braid
