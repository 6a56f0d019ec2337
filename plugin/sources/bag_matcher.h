// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/ensemble.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/plugin/database/record_reader.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/sources/field_cursor.h"
#include "braid/plugin/sources/fused_counters.h"
#include "braid/plugin/sources/part_memo.h"
#include "braid/plugin/sources/vector_tables.h"

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

/// A topic model's part of the score: weight * max(0, cos), with vectors from one shard.
struct TopicColumn {
    std::shared_ptr<const QueryVector> query;
    std::uint8_t tag = 0;
    double weight = 0;
    double bound = 0;
    VectorAccess vectors = {};
    Xapian::ValueIterator values = {};  ///< Where `vectors` has no table.
    std::string buffer = {};            ///< What the value of that is copied to.
};

/// Finds the documents of one shard that match a bag of words and can reach a weight, by MaxScore
/// (docs/algorithms/pruning.md), in ascending order.
///
/// A weight is the sum of the terms' scores in the query's order, then the part of the score that
/// is the document's, then the topics': so it has the same bits wherever it is computed. A document
/// is given up only where a bound on its weight, with rounding allowed for, is below the least one.
/// Nothing is allocated for a document but what Xapian copies of its value.
class BagMatcher {
  public:
    /// `ensemble` is nullptr where no ranker of the whole text counts; `fields` are those of the
    /// bag, which need records. Counts in `counters`, which outlives the matcher.
    BagMatcher(const Xapian::Database& shard, const BagOfWords& bag,
               const LexicalEnsemble* ensemble, std::span<const FieldEnsemble> fields,
               std::vector<TopicColumn> topics, LengthAccess lengths, FusedCounters& counters);

    /// Puts off to `weight` what `next` would compute of a document's score but a bound: for where
    /// most matches are left out by something else.
    void score_late() { late_ = true; }

    /// For ensembles that need them; before any document is looked at. Reads the matcher's fields.
    void use_records(RecordReader records) { records_.emplace(std::move(records)); }

    /// The first match from `from` on that can reach `least`; false if there is none.
    bool next(Xapian::docid from, double least);
    /// Whether that document matches and can reach `least`. Looks at no other. Documents must
    /// ascend from call to call, of `next` and `check` alike.
    bool check(Xapian::docid docid, double least);

    Xapian::docid docid() const { return docid_; }
    /// Reads the vectors now: Xapian asks for no weight where a filter leaves the document out. 0
    /// where the weight turns out to be below `least`.
    double weight();

    /// Of every document's weight.
    double bound() const;

    Xapian::doccount matches_min() const;
    Xapian::doccount matches_max() const;
    /// As if terms were independent.
    Xapian::doccount matches_estimate() const;

  private:
    void order_cursors();
    void set_essential(double least);
    Xapian::docid next_candidate(Xapian::docid from);
    bool may_reach(double least, std::size_t settled);
    bool evaluate(std::size_t settled, double least);
    bool gather(Xapian::docid docid, std::size_t settled, double least);
    double similarity(TopicColumn& topic);
    std::string_view value_of_document(TopicColumn& topic) const;
    Xapian::termcount length_of_document(const TermCursor& cursor) const;
    bool give_up();
    double score_document(Xapian::termcount length);

    bool all_;
    Xapian::doccount documents_;  ///< Of the shard.
    std::vector<TermCursor> cursors_;
    std::vector<TopicColumn> topics_;
    LengthAccess lengths_;
    FusedCounters* counters_;
    std::optional<RecordReader> records_;
    DocumentStatistics document_;                ///< The current one, where there are records,
    std::vector<DocumentStatistics> of_fields_;  ///< and of each field.
    std::optional<FieldDocumentParts> field_parts_;
    std::unique_ptr<const LexicalScorer> document_scorer_;
    PartMemo document_memo_;
    double document_bound_ = 0;
    std::vector<std::size_t> order_;  ///< Of cursors: OR by falling bound, AND by rising frequency.
    std::vector<double> rest_;        ///< Sum of the bounds of order_[i] and those after it.
    std::vector<double> topic_rest_;  ///< The same of topics.
    std::vector<double> parts_;       ///< By cursor: what the current document scores.
    double document_part_ = 0;
    double least_ = -1;          ///< For which
    std::size_t essential_ = 0;  ///< so many of order_ can't all be missing in a match.
    Xapian::docid docid_ = 0;
    double weight_ = 0;     ///< Without topics
    bool weighed_ = false;  ///< before this.
    bool late_ = false;     ///< Whether `next` leaves documents
    bool pending_ = false;  ///< in this state: without weight_.
};

}  // namespace braid
