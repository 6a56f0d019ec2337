// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/ranker.h"
#include "braid/plugin/sources/proximity_scorer.h"
#include "braid/plugin/sources/term_cursor.h"
#include "braid/plugin/sources/topic_column.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/search_result.h"

namespace braid {

/// The part of a score that depends on a document's length alone.
class DocumentPart {
  public:
    /// `scorer` may be nullptr: the part is 0 then. About `calls` documents will be scored.
    void use(std::unique_ptr<const LexicalScorer> scorer, std::size_t calls) {
        scorer_ = std::move(scorer);
        if (scorer_ != nullptr) memo_.reset(calls);
    }

    /// nullptr where there is none.
    const LexicalScorer* scorer() const { return scorer_.get(); }

    double score(Xapian::termcount length) {
        if (scorer_ == nullptr) return 0;
        return memo_.get(0, length, [&] {
            return scorer_->score({0, static_cast<double>(length), 0});
        });
    }

  private:
    std::unique_ptr<const LexicalScorer> scorer_;
    PartMemo memo_;
};

/// A document that has a word, and bounds on parts of its score.
struct Candidate {
    Xapian::docid docid = 0;
    std::uint32_t row = 0;   ///< For CandidateStretch.
    bool is_scored = false;  ///< `words` is the score itself.
    double words = 0;        ///< All of the score but topics.
    double topics = 0;       ///< Topics' parts together.
    double proximity = 0;    ///< Of pairs of words.

    double bound() const { return words + topics + proximity; }
};

/// Reads ahead in the tables of some cursors: finds the documents of a stretch of docids list by
/// list, so that nothing waits for memory but what was asked for before, and leaves out those that
/// can't reach a weight: docs/algorithms/pruning.md. Doesn't move cursors.
class CandidateStretch {
  public:
    /// Borrows all five; counts in `counters`.
    CandidateStretch(std::vector<TermCursor>& cursors, const std::vector<TopicColumn>& topics,
                     DocumentPart& document, const ProximityColumns& proximity,
                     FusedCounters& counters)
        : cursors_(cursors),
          topics_(topics),
          document_(document),
          proximity_(proximity),
          counters_(counters) {}

    struct Search {
        /// Cursors by number. Documents come from the first `essential` lists, which have tables.
        std::span<const std::size_t> order;
        std::size_t essential = 0;
        std::span<const double> rest;  ///< Bounds of order[i] and those after it.
        double document = 0;           ///< Bounds of the part that is the document's,
        double topics = 0;             ///< of topics,
        double proximity = 0;          ///< and of pairs of words.
        double least = 0;              ///< What scores less is left out.
        bool look_at_topics = false;
        bool score = false;  ///< Not only bounds of words.

        std::span<const std::size_t> lists() const { return order.first(essential); }
    };

    /// Whether all those cursors have tables.
    static bool serves(const std::vector<TermCursor>& cursors, std::span<const std::size_t> lists);

    /// Finds what the lists have from a document on; nothing at their end. Documents must ascend
    /// from call to call.
    void read(Xapian::docid from, const Search& search);

    /// Ascending.
    std::span<const Candidate> candidates() const { return candidates_; }
    /// No document before this is missing among them, of those from where `read` began; kEnd, and
    /// no candidates, at the end of the lists.
    Xapian::docid end() const { return end_; }

    /// Of a candidate that is scored, where pairs of words count: its occurrences of each cursor's
    /// term, and its length.
    std::span<const double> counts(const Candidate& candidate) const {
        return std::span(counts_).subspan(candidate.row * cursors_.size(), cursors_.size());
    }
    Xapian::termcount length(const Candidate& candidate) const {
        return scored_[candidate.row].length;
    }

  private:
    static constexpr std::size_t kLongest = 2048;  ///< Its sums stay in the fastest cache.
    static constexpr std::size_t kBits = 64;

    void set_length(const Search& search);
    void see(std::size_t at) { seen_[at / kBits] |= std::uint64_t{1} << (at % kBits); }
    bool has_seen(std::size_t at) const { return (seen_[at / kBits] >> (at % kBits) & 1) != 0; }
    void add_bounds(const Search& search);
    void collect(const Search& search);
    void score(const Search& search);
    void score_list(std::size_t list);
    void score_posting(std::size_t list, std::size_t place, std::size_t row);
    void drop(const Search& search, double others);
    void bound_proximity();
    void add_up();
    void bound_topics(const Search& search, bool all);
    template <typename Keep>
    void keep_if(const Keep& keep);

    std::vector<TermCursor>& cursors_;
    const std::vector<TopicColumn>& topics_;
    DocumentPart& document_;
    const ProximityColumns& proximity_;
    FusedCounters& counters_;
    Xapian::docid begin_ = 0;
    Xapian::docid end_ = 0;
    std::size_t length_ = 0;           ///< Of the next stretch, in docids.
    std::vector<std::size_t> places_;  ///< By cursor: where the stretch begins in its table.
    std::vector<Candidate> candidates_;
    std::array<std::uint64_t, kLongest / kBits> seen_ = {};  ///< All 0 between calls,
    std::array<double, kLongest> bounds_ = {};               ///< and so are these.
    std::array<std::uint16_t, kLongest> rows_ = {};          ///< Of candidates.
    struct Row {
        double sum = 0;  ///< Of parts.
        Xapian::termcount length = 0;
    };
    std::vector<Row> scored_;                ///< By row,
    std::vector<double> parts_;              ///< and by cursor within it;
    std::vector<double> counts_;             ///< likewise, where pairs of words count.
    std::vector<std::uint32_t> topic_rows_;  ///< By candidate, and by topic within it.
};

}  // namespace braid
