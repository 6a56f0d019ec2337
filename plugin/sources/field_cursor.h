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

/// The postings in a shard of a query's word in one field, which rankers score beside the word
/// itself: looked at only where a document has that. Not installed.
class FieldCursor {
  public:
    /// `field` is the place of the field among those that records are read for.
    FieldCursor(const Xapian::Database& shard, const std::string& term, std::size_t field,
                std::unique_ptr<const LexicalScorer> scorer);

    double bound() const { return bound_; }

    /// Documents must not descend; `fields` are the document's.
    double score(Xapian::docid docid, std::span<const DocumentStatistics> fields);

  private:
    std::unique_ptr<const LexicalScorer> scorer_;
    Xapian::PostingIterator posting_;
    std::size_t field_;
    double bound_ = 0;
};

/// One field's rankers, and the bag's words in the field: with `fields` in the order of the bag's.
struct FieldEnsemble {
    std::string name;
    std::unique_ptr<const LexicalEnsemble> ensemble;
};

/// What the fields' rankers give a document whichever words it has.
class FieldDocumentParts {
  public:
    FieldDocumentParts(const Xapian::Database& shard, const BagOfWords& bag,
                       std::span<const FieldEnsemble> fields);

    double bound() const { return bound_; }
    double score(std::span<const DocumentStatistics> fields) const;

  private:
    std::vector<std::unique_ptr<const LexicalScorer>> scorers_;  ///< nullptr: the field has none.
    double bound_ = 0;
};

/// Cursors for the bag's term of that number, one for each field that has it.
std::vector<FieldCursor> field_cursors(const Xapian::Database& shard, const BagOfWords& bag,
                                       std::size_t term, std::span<const FieldEnsemble> fields);

/// Bounds of a term's statistics in one field of the documents of `database`: a field's word counts
/// at least one, and a field is no longer than its document.
BoundStatistics field_bounds(const Xapian::Database& database, const std::string& term);

}  // namespace braid
