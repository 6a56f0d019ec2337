// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/title_exact.h"
#include "braid/error.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/settings.h"

namespace braid {

/// What the ranker title-exact looks for in a field: docs/algorithms/title-exact.md.
struct TitleQuery {
    std::string prefix;  ///< Of the field's terms.
    /// Whether a term holds a whole value (FieldSettings::exact); else terms are words, and their
    /// positions say in which order the field has them.
    bool exact = false;
    std::vector<NameWord> words = {};  ///< Of the query, in its order.
    std::string stemmer = "none";
    std::vector<std::string> stop_words = {};  ///< Ascending.
    TitleScores scores = {};

    bool operator==(const TitleQuery&) const = default;
};

/// The words of a query that count in its score and have no prefix, in its order, for a database
/// with that analysis. None where the query has alternatives for a word: synonyms, wildcards.
std::vector<NameWord> name_words(const Xapian::Query& query, const AnalysisSettings& analysis);

/// Compares a query with a field of the documents of a database, one shard or several.
class TitleMatcher {
  public:
    /// Looks for exact values now: a walk over those that begin with the first letters of the
    /// query's first word, and among these only the first of each first word; at most
    /// kMostValues, by far more than there are.
    TitleMatcher(const Xapian::Database& database, std::shared_ptr<const TitleQuery> query);

    static constexpr std::size_t kMostValues = 100'000;
    /// So few documents with all words in a field of words are looked at at once.
    static constexpr std::size_t kFew = 48;

    /// Exact fields: no more than equals and nothing. Fields of words: a walk over the document's
    /// own terms, 5 microseconds, and over positions where the query has several words.
    TitleMatch match(Xapian::docid docid) const;
    double score(Xapian::docid docid) const { return query_->scores.of(match(docid)); }

    /// No document has a higher score: 0 where none has the words in the field.
    double bound() const;

    /// Whether `found` has all documents with a score above 0, ascending: for exact fields, and
    /// where few documents have all words. Else such a document has all of `terms`.
    bool is_settled() const { return is_settled_; }
    const std::vector<std::pair<Xapian::docid, TitleMatch>>& found() const { return found_; }
    const std::vector<std::string>& terms() const { return terms_; }

  private:
    void find_equal();
    void find_equal(const std::string& start);
    void look_at_few();
    TitleWord title_word(std::string word) const;
    std::vector<TitleWord> words_of_value(std::string_view value) const;
    TitleMatch match_one_word(Xapian::docid docid) const;
    TitleMatch match_words(Xapian::docid docid) const;

    Xapian::Database database_;
    std::shared_ptr<const TitleQuery> query_;
    Xapian::Stem stem_;
    std::vector<std::pair<Xapian::docid, TitleMatch>> found_;
    std::vector<std::string> terms_;
    bool is_settled_ = true;
};

/// A part of a Xapian query: weight * title-exact of the documents that have all words of a query
/// in a field. OP_AND_MAYBE joins it to a text query.
/// Its largest weight is 0 in a shard where no document can have a match, so it costs other rankers
/// none of their pruning there. Scores are the same on any number of shards. One object belongs to
/// one thread; copies share what doesn't change.
class TitleSource final : public SentSource<TitleSource> {
  public:
    static constexpr SentAs kSentAs{"braid::TitleSource", 1};
    void write_bytes(ByteWriter& out) const;
    std::unique_ptr<TitleSource> read_bytes(ByteReader& in) const;

    TitleSource();  ///< For registration only: see register_all.

    /// Throws InvalidArgument for a weight that is negative or not finite, and UnknownComponent for
    /// a stemmer that Xapian doesn't have.
    TitleSource(TitleQuery query, double weight);
    ~TitleSource() override;

    Xapian::doccount get_termfreq_min() const override { return 0; }
    Xapian::doccount get_termfreq_est() const override { return most_; }
    Xapian::doccount get_termfreq_max() const override { return most_; }
    double get_weight() const override;
    Xapian::docid get_docid() const override { return docid_; }
    void next(double min_weight) override;
    void skip_to(Xapian::docid docid, double min_weight) override;
    bool check(Xapian::docid docid, double min_weight) override;
    bool at_end() const override { return ended_; }
    void init(const Xapian::Database& shard) override;

    TitleSource* clone() const override;
    std::string get_description() const override;

  private:
    void move_to(Xapian::docid docid);
    void end();

    std::shared_ptr<const TitleQuery> query_;
    double weight_ = 0;
    std::unique_ptr<TitleMatcher> matcher_;  ///< None before `init`.
    std::vector<Xapian::PostingIterator> postings_;
    std::size_t at_ = 0;  ///< In TitleMatcher::found.
    Xapian::docid docid_ = 0;
    Xapian::doccount most_ = 0;
    bool ended_ = true;
};

}  // namespace braid
