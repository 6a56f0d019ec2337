// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/model/ensemble.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/sources/blend_cursor.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {

/// The postings in a shard of a query's word in one field, which rankers score beside the word
/// itself: looked at only if a document has that.
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

/// Counts values read one by one, and adds the count to a shared total when destroyed.
class ReadCount {
  public:
    explicit ReadCount(std::shared_ptr<std::atomic<std::uint64_t>> total)
        : total_(std::move(total)) {}
    ReadCount(ReadCount&&) noexcept = default;
    ReadCount& operator=(ReadCount&&) = delete;
    ~ReadCount() {
        if (total_ != nullptr) total_->fetch_add(count_, std::memory_order_relaxed);
    }

    void add() { ++count_; }

  private:
    std::shared_ptr<std::atomic<std::uint64_t>> total_;
    std::uint64_t count_ = 0;
};

/// One query term's postings in a shard, and what they score. Walks over a table where there is
/// one, else over Xapian's list.
class TermCursor {
  public:
    static constexpr Xapian::docid kEnd = PostingTable::kEnd;

    /// `scorer` is nullptr where no ranker of the whole text counts; `fields` score the same word
    /// in fields of the documents that have it.
    TermCursor(const Xapian::Database& shard, const std::string& term,
               std::unique_ptr<const LexicalScorer> scorer, std::vector<FieldCursor> fields,
               std::vector<BlendCursor> blends, PostingAccess access);

    Xapian::docid docid() const { return docid_; }
    Xapian::doccount frequency() const { return frequency_; }
    double bound() const { return bound_; }
    /// nullptr where it walks over Xapian's list.
    const PostingTable* table() const { return table_.get(); }

    /// Moves to the first posting of that document or a later one.
    void move_to(Xapian::docid target) {
        if (docid_ >= target) return;
        if (table_ != nullptr) {
            place_ = table_->find(place_, target);
            docid_ = table_->docid(place_);
            return;
        }
        reads_.add();
        if (docid_ + 1 == target) {
            ++posting_;
        } else {
            posting_.skip_to(target);
        }
        docid_ = posting_ == Xapian::PostingIterator() ? kEnd : *posting_;
    }

    /// Length at the current posting; costs a lookup without a table.
    Xapian::termcount document_length() const {
        return table_ != nullptr ? table_->length(place_) : posting_.get_doclength();
    }

    /// Of the current posting.
    Xapian::termcount occurrences() const {
        return table_ != nullptr ? table_->occurrences(place_) : posting_.get_wdf();
    }

    /// No less than `score` of the current posting, whatever the document's length.
    double posting_bound() const {
        if (table_ != nullptr) return bounds_[table_->group(place_)];
        return bounds_[std::min<std::size_t>(posting_.get_wdf(), bounds_.size() - 1)];
    }
    /// The same of postings of each group of the table.
    const std::array<double, PostingTable::kGroups>& group_bounds() const { return bounds_; }

    /// Of the current posting, where that depends on more of the document than its length.
    double score(DocumentStatistics document, std::span<const DocumentStatistics> of_fields) {
        document.occurrences = static_cast<double>(occurrences());
        double sum = scorer_ == nullptr ? 0 : scorer_->score(document);
        for (FieldCursor& field : fields_) sum += field.score(docid_, of_fields);
        return blends_.empty() ? sum : sum + score_blends(document);
    }

    double score(Xapian::termcount length) {
        const double sum = score(occurrences(), length);
        if (blends_.empty()) return sum;
        return sum + score_blends({.occurrences = static_cast<double>(occurrences()),
                                   .length = static_cast<double>(length)});
    }

    /// Score of the posting in that place of the table.
    double score_at(std::size_t place) {
        return score(table_->occurrences(place), table_->length(place));
    }

  private:
    double score(Xapian::termcount occurrences, Xapian::termcount length) {
        if (scorer_ == nullptr) return 0;
        return memo_.get(occurrences, length, [&] {
            return scorer_->score(
                {static_cast<double>(occurrences), static_cast<double>(length), 0});
        });
    }
    double score_blends(const DocumentStatistics& document) {
        double sum = 0;
        for (BlendCursor& blend : blends_) sum += blend.score(docid_, document);
        return sum;
    }
    void make_bounds(double beside);
    void make_bounds(const BoundStatistics& statistics, double beside);
    double bound_of(const BoundStatistics& statistics) const;

    std::unique_ptr<const LexicalScorer> scorer_;
    std::shared_ptr<const PostingTable> table_;
    std::size_t place_ = 0;  ///< In the table.
    Xapian::PostingIterator posting_;
    ReadCount reads_;
    Xapian::docid docid_ = kEnd;
    Xapian::doccount frequency_ = 0;
    double bound_ = 0;
    /// Indexed by the number of occurrences; the last serves all larger ones.
    std::array<double, PostingTable::kGroups> bounds_ = {};
    PartMemo memo_;
    std::vector<FieldCursor> fields_;
    std::vector<BlendCursor> blends_;
};

}  // namespace braid
