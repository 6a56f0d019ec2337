// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <xapian.h>

#include "braid/core/model/ensemble.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/sources/candidate_stretch.h"
#include "braid/plugin/sources/proximity_scorer.h"
#include "braid/plugin/sources/similar_documents.h"
#include "braid/plugin/sources/term_cursor.h"
#include "braid/plugin/sources/time_limit.h"
#include "braid/plugin/sources/topic_column.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/record_reader.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/search_result.h"

namespace braid {

/// Finds the documents of one shard that match a bag of words and can reach a weight, by MaxScore
/// (docs/algorithms/pruning.md), in ascending order.
///
/// A weight is the sum of the terms' scores in the query's order, then the part of the score that
/// is the document's, then the topics', then those of pairs of words: so it has the same bits
/// wherever it is computed. A document is given up only where a bound on its weight, with rounding
/// allowed for, is below the least one.
/// Nothing is allocated for a document but what Xapian copies of its value.
///
/// With `find_similar` it also finds documents that have topics in common with the query only.
class BagMatcher {
  public:
    /// What is read from memory, where it is there.
    struct Memory {
        LengthAccess lengths;
        std::shared_ptr<PostingTables> postings;
        bool reads_all = false;  ///< Of the words' postings: for `add_words`.
    };

    /// `ensemble` is nullptr where no ranker of the whole text counts; `fields` are those of the
    /// bag, which need records, and `blends` rankers of its blends. Counts in `counters`, which
    /// outlives the matcher.
    BagMatcher(const Xapian::Database& shard, const BagOfWords& bag,
               const LexicalEnsemble* ensemble, std::span<const FieldEnsemble> fields,
               std::span<const std::unique_ptr<const LexicalEnsemble>> blends,
               std::vector<TopicColumn> topics, ProximityColumns proximity, const Memory& memory,
               FusedCounters& counters);

    /// Null: never. Where it is over, `next` finds nothing more.
    void stop_at(std::shared_ptr<TimeLimit> limit) { limit_ = std::move(limit); }

    /// Puts off to `weight` what `next` would compute of a document's score but a bound: for where
    /// most matches are left out by something else.
    void score_late() { late_ = true; }

    /// For ensembles that need them; before any document is looked at. Reads the matcher's fields.
    void use_records(RecordReader records) { records_.emplace(std::move(records)); }

    /// From now on also finds documents that don't match, but are similar to the query. `tables`
    /// makes those that columns, by their number, have not, once they are needed. `finding.best` is
    /// taken as 0 where `check_existence` says that they may have documents that the shard hasn't.
    /// What is found is kept in `found`, and taken from there if it is; nullptr: it isn't.
    using TableMaker = std::function<std::shared_ptr<const TopicTable>(std::size_t column)>;
    void find_similar(const TopicFinding& finding, bool check_existence, TableMaker tables,
                      FoundSimilar* found);

    /// The first match from `from` on that can reach `least`; false if there is none.
    bool next(Xapian::docid from, double least);
    /// Whether that document matches and can reach `least`. Looks at no other. Documents must
    /// ascend from call to call, of `next` and `check` alike.
    bool check(Xapian::docid docid, double least);
    /// After `check`: to the first match behind its document by the words alone; false if there is
    /// none that can reach its `least`. Computes nothing of it but `weight` does.
    bool stand_behind();

    Xapian::docid docid() const { return docid_; }
    /// Reads the vectors now: Xapian asks for no weight where a filter leaves the document out. 0
    /// where the weight turns out to be below `least`.
    double weight();

    /// Bound of every document's weight.
    double bound() const;

    // For bounds on many documents at once:
    /// Whether all words have tables, and no word's score takes more than these. Then:
    bool has_tables() const;
    /// Adds to each document's score, by docid, what its words give, and counts them in `words`.
    /// Postings of documents beyond are left out.
    void add_words(std::span<double> scores, std::span<std::uint8_t> words);
    /// What the words of one document give. Documents ascend; `places` begins empty.
    double words_of(Xapian::docid docid, std::vector<std::size_t>& places);
    std::size_t words() const { return cursors_.size(); }
    /// Whether a document has to have all of them.
    bool wants_all() const { return all_; }
    /// Whether the document last checked, if not given up, has one, or all where it has to.
    bool has_words() const;
    double document_part(Xapian::termcount length) { return of_document_.score(length); }
    const std::vector<TopicColumn>& topics() const { return topics_; }
    /// Bound of the parts of pairs of words.
    double proximity_most() const { return proximity_rest_[0]; }
    const LengthTable* lengths() const { return lengths_.table.get(); }
    bool is_stopped() const { return limit_ != nullptr && limit_->is_over(); }

    Xapian::doccount documents() const { return documents_; }  ///< Of the shard.

    /// Number of documents that match.
    Xapian::doccount matches_min() const;
    Xapian::doccount matches_max() const;
    /// An estimate that takes terms as independent.
    Xapian::doccount matches_estimate() const;

  private:
    void order_cursors();
    void set_essential(double least);
    bool reads_ahead() const;
    bool is_candidate() const { return candidate_ != nullptr && candidate_->docid == docid_; }
    Xapian::docid next_read_ahead(Xapian::docid from);
    Xapian::docid next_with_words(Xapian::docid from);
    Xapian::docid next_candidate(Xapian::docid from);
    void look_for_similar();
    void search_clusters();
    bool may_reach(double least);
    bool bound_topics(double least);
    bool evaluate(double least);
    enum class Gathered { kMatch, kNoMatch, kGivenUp };
    Gathered gather(Xapian::docid docid, double least);
    bool gather_similar(double least);
    bool add_topics();
    void add_proximity();
    double proximity_bound(std::size_t settled);
    void set_proximity_rest();
    /// Length of the current document, at which the cursor stands.
    Xapian::termcount length_of_document(const TermCursor& cursor) const;
    /// Length of the current document, from memory.
    Xapian::termcount known_length() const {
        return lengths_.table == nullptr ? LengthTable::kUnknown : lengths_.table->length(docid_);
    }
    bool give_up();
    double score_document(Xapian::termcount length);

    Xapian::Database shard_;
    bool all_;
    bool has_blends_;
    Xapian::doccount documents_;  ///< Of the shard.
    std::vector<TermCursor> cursors_;
    std::vector<TopicColumn> topics_;
    LengthAccess lengths_;
    FusedCounters* counters_;
    std::optional<RecordReader> records_;
    DocumentStatistics document_;                ///< The current one, where there are records,
    std::vector<DocumentStatistics> of_fields_;  ///< and of each field.
    std::optional<FieldDocumentParts> field_parts_;
    DocumentPart of_document_;  ///< By its length; other parts are those of its fields.
    double document_bound_ = 0;
    std::vector<std::size_t> order_;  ///< Of cursors: OR by falling bound, AND by rising frequency.
    std::vector<double> rest_;        ///< Sum of the bounds of order_[i] and those after it.
    double topics_bound_ = 0;         ///< Of all topics' parts together,
    double topics_here_ = 0;          ///< and for the current document.
    ProximityColumns proximity_;
    std::vector<double> most_;  ///< By cursor: occurrences in any document of the shard.
    double shortest_ = 0;       ///< Document of the shard.
    std::vector<double>
        proximity_rest_;            ///< Bounds for documents with no other words than rest_'s,
    double proximity_here_ = 0;     ///< and for the current document.
    std::vector<double> counts_;    ///< By cursor: its occurrences, where these matter,
    Xapian::termcount length_ = 0;  ///< and its length.
    std::vector<double> parts_;     ///< By cursor: what the current document scores.
    double document_part_ = 0;
    double least_ = std::numeric_limits<double>::quiet_NaN();  ///< For which
    std::size_t essential_ = 0;  ///< so many of order_ can't all be missing in a match.
    std::size_t settled_ = 0;    ///< So many of order_ stand at the current document or beyond.
    bool reads_ahead_ = false;   ///< Whether documents are, and
    std::unique_ptr<CandidateStretch> ahead_;  ///< what was:
    const Candidate* candidate_ = nullptr;     ///< the current one, if it comes from there.
    std::size_t ahead_at_ = 0;                 ///< Candidates before are behind.
    Xapian::docid docid_ = 0;
    double weight_ = 0;     ///< Without topics
    bool weighed_ = false;  ///< before this.
    bool late_ = false;     ///< Whether `next` leaves documents
    bool pending_ = false;  ///< in this state: without weight_.
    std::optional<TopicFinding> finding_;
    bool check_existence_ = false;
    TableMaker make_table_;
    FoundSimilar* found_ = nullptr;
    bool looked_ = false;  ///< For similar documents. What was found:
    std::shared_ptr<TimeLimit> limit_;
    std::vector<Xapian::docid> similar_;  ///< ascending;
    std::size_t similar_at_ = 0;          ///< those before are behind.
};

}  // namespace braid
