// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/model/ensemble.h"
#include "braid/plugin/query/bag_of_words.h"

namespace braid {

/// A query's word in the whole text and in fields beside, added up by weights before it scores:
/// looked at only if a document has it in the whole text.
class BlendCursor {
  public:
    BlendCursor(const Xapian::Database& shard, const std::string& term, const BagBlend& blend,
                std::unique_ptr<const LexicalScorer> scorer);

    double bound() const { return bound_; }

    /// `document` has the word's occurrences in the whole text. Documents must not descend.
    double score(Xapian::docid docid, DocumentStatistics document);

  private:
    struct Posting {
        Xapian::PostingIterator at;
        Xapian::docid docid = 0;  ///< Where it stands; kEnd at its end.
        double weight = 0;
    };

    std::unique_ptr<const LexicalScorer> scorer_;
    double whole_;
    std::vector<Posting> postings_;
    double bound_ = 0;
};

/// The weighted sum of a word's occurrences by `blend` can't exceed these, nor a document be
/// shorter than they say. `database` may have several shards.
BoundStatistics blend_bounds(const Xapian::Database& database, const std::string& term,
                             const BagBlend& blend);

/// Cursors for the bag's term of that number, one for each blend, whose rankers are `ensembles`.
std::vector<BlendCursor> blend_cursors(
    const Xapian::Database& shard, const BagOfWords& bag, std::size_t term,
    std::span<const std::unique_ptr<const LexicalEnsemble>> ensembles);

}  // namespace braid
