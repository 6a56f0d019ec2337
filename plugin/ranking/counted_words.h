// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/ranker.h"
#include "braid/plugin/database/document_fields.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/ranking/pool_postings.h"

namespace braid {

/// A word of a query that scores, or several that count as one (OP_SYNONYM, a wildcard), in the
/// documents of a pool.
struct CountedWord {
    /// What is known of it: the same everywhere, but words that count as one have statistics of
    /// their own in each shard, as Xapian estimates them.
    struct Known {
        TermStatistics term;
        BoundStatistics bounds;
    };

    std::string term;  ///< Words that count as one: their query, described.
    double query_occurrences = 1;
    double factor = 1;  ///< The product of factors of OP_SCALE_WEIGHT.
    std::vector<Known> known;
    std::vector<std::size_t> known_of;  ///< By document, into `known`; empty: the first for all.
    /// By document: its occurrences where the word scores, else 0.
    std::vector<double> counts;

    const Known& of(std::size_t document) const {
        return known[known_of.empty() ? 0 : known_of[document]];
    }
};

/// One ranker's part for one word.
class WordScorer {
  public:
    WordScorer(const LexicalRanker& ranker, const CountedWord& word, double query_norm);

    /// `statistics` are those of the pool's document `i`, its occurrences among them.
    double score(std::size_t i, const DocumentStatistics& statistics) const {
        const std::size_t known = word_.known_of.empty() ? 0 : word_.known_of[i];
        return word_.factor * scorers_[known]->score(statistics);
    }
    /// No document of the database has a higher score.
    double bound() const { return bound_; }

  private:
    const CountedWord& word_;
    std::vector<std::unique_ptr<const LexicalScorer>> scorers_;
    double bound_ = 0;
};

/// Which words of a query score in which documents of a pool, as the matcher has it: a word of an
/// AND scores where all of it matches, one of a phrase where the phrase does, one that filters or
/// excludes nowhere.
struct CountedWords {
    std::vector<CountedWord> words;  ///< In the query's order; one given twice is there twice.
    std::string why_not;  ///< Why they can't be told, as a sentence; then there are none.

    /// TermStatistics::query_norm of all of them, by the statistics of the first shard.
    double query_norm() const;
};

/// Terms under OR and AND cost one pass over the pool each. Phrases, NEAR, ranges and what counts
/// as one are asked of the matcher, which looks at the pool's documents alone: a search for each.
/// Operators that pick or scale by the weight (OP_MAX, OP_ELITE_SET) and posting sources can't be
/// told. `documents` ascend and are those of `postings`.
CountedWords counted_words(const Xapian::Database& database, const Xapian::Query& query,
                           std::span<const Xapian::docid> documents, PoolPostings& postings);

/// The same words in one field of a pool's documents: a word counts there as often as the field has
/// it, in the documents in which it scores itself. Words that other fields have, or that count as
/// one, are left out.
CountedWords words_in_field(const Xapian::Database& database, const CountedWords& words,
                            const FieldCollection& field, PoolPostings& postings);

/// The same words with the weighted sums of their occurrences by `blend` for counts, in the
/// documents in which they score. Words that count as one have those of the whole text alone.
CountedWords words_in_blend(const Xapian::Database& database, const CountedWords& words,
                            const BagBlend& blend, PoolPostings& postings);

/// The query's length in them.
double length_of(const CountedWords& words);

}  // namespace braid
