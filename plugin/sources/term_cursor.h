// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/ensemble.h"
#include "braid/plugin/sources/field_cursor.h"
#include "braid/plugin/sources/part_memo.h"

namespace braid {

/// One query term's postings in a shard, and what they score.
class TermCursor {
  public:
    static constexpr Xapian::docid kEnd = std::numeric_limits<Xapian::docid>::max();

    /// `scorer` is nullptr where no ranker of the whole text counts; `fields` score the same word
    /// in fields of the documents that have it.
    TermCursor(const Xapian::Database& shard, const std::string& term,
               std::unique_ptr<const LexicalScorer> scorer, std::vector<FieldCursor> fields);

    Xapian::docid docid() const { return docid_; }
    Xapian::doccount frequency() const { return frequency_; }
    double bound() const { return bound_; }

    /// To the first posting of that document or a later one.
    void move_to(Xapian::docid target) {
        if (docid_ >= target) return;
        if (docid_ + 1 == target) {
            ++posting_;
        } else {
            posting_.skip_to(target);
        }
        docid_ = posting_ == Xapian::PostingIterator() ? kEnd : *posting_;
    }

    /// Of the current posting; a lookup of its own.
    Xapian::termcount document_length() const { return posting_.get_doclength(); }

    /// No less than `score` of the current posting, whatever the document's length.
    double posting_bound() const {
        const Xapian::termcount occurrences = posting_.get_wdf();
        return occurrences < bounds_.size() ? bounds_[occurrences] : bound_;
    }

    /// Of the current posting, where that depends on more of the document than its length.
    double score(DocumentStatistics document, std::span<const DocumentStatistics> of_fields) {
        document.occurrences = static_cast<double>(posting_.get_wdf());
        double sum = scorer_ == nullptr ? 0 : scorer_->score(document);
        for (FieldCursor& field : fields_) sum += field.score(docid_, of_fields);
        return sum;
    }

    double score(Xapian::termcount length) {
        if (scorer_ == nullptr) return 0;
        const Xapian::termcount occurrences = posting_.get_wdf();
        return memo_.get(occurrences, length, [&] {
            return scorer_->score(
                {static_cast<double>(occurrences), static_cast<double>(length), 0});
        });
    }

  private:
    std::unique_ptr<const LexicalScorer> scorer_;
    Xapian::PostingIterator posting_;
    Xapian::docid docid_ = kEnd;
    Xapian::doccount frequency_ = 0;
    double bound_ = 0;
    std::array<double, 4> bounds_ = {};  ///< By the number of occurrences.
    PartMemo memo_;
    std::vector<FieldCursor> fields_;
};

}  // namespace braid
