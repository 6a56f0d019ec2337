// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "braid/bench/texts/collection.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/topics/lbdm.h"
#include "braid/core/topics/topic_model.h"
#include "braid/progress.h"

namespace braid::bench {

/// A score for each document, one row a judged query.
using ScoreTable = std::vector<std::vector<double>>;

/// A query's words with what each counts, by ascending id.
using WeightedTerms = std::vector<std::pair<std::uint32_t, double>>;

/// What lexical rankers know of a collection, transposed and counted once. Borrows it.
class LexicalIndex {
  public:
    explicit LexicalIndex(const Collection& collection);

    /// Every document's score: what its words and, for all documents, its document part give.
    /// A word that counts w is scored as one that the query has once, times w.
    std::vector<double> scores(const LexicalRanker& ranker, const WeightedTerms& query) const;

    /// Cosine of (1 + log tf) log(N / df), for query and document.
    std::vector<double> cosines(const JudgedQuery& query) const;

    const Collection& collection() const { return collection_; }
    const std::vector<double>& lengths() const { return lengths_; }

  private:
    double rarity(std::uint32_t term) const;

    const Collection& collection_;
    TermPostings postings_;
    std::vector<double> lengths_;
    std::vector<double> occurrences_;  // Of each term in the collection.
    std::vector<double> norms_;        // Of each document's vector, for cosines.
    CollectionStatistics statistics_;
};

/// All queries by one ranker.
ScoreTable lexical_scores(const LexicalIndex& index, const LexicalRanker& ranker,
                          Executor& executor);
ScoreTable cosine_scores(const LexicalIndex& index, Executor& executor);

/// Feedback in terms, after Lavrenko and Croft's relevance models as Abdul-Jaleel and others mix
/// them with the query (RM3).
struct TermFeedback {
    std::size_t documents = 10;  ///< Of the first ranking, taken for relevant.
    std::size_t terms = 50;      ///< Kept of the model they make.
    double query_share = 0.5;    ///< Of the query's own words in the new one.
};

/// The first ranking and its documents' weights (probabilities of the query) come from `first`,
/// which must be a language model; `second` scores the new query.
ScoreTable term_feedback_scores(const LexicalIndex& index, const LexicalRanker& first,
                                const LexicalRanker& second, const TermFeedback& feedback,
                                Executor& executor);

/// Feedback in topics: the mean vector of the first documents is added to the query's, `weight`
/// times.
struct TopicFeedback {
    std::size_t documents = 0;
    double weight = 0;
};

/// max(0, cos) of all documents.
ScoreTable topic_scores(const Collection& collection, const TopicModel& model,
                        const TopicFeedback& feedback, Executor& executor);

/// By the LDA-based document model; `lda` is a model of that name, of any number of chains.
ScoreTable lbdm_scores(const Collection& collection, const TopicModel& lda,
                       const LbdmSettings& settings, Executor& executor);

/// A collection's documents ordered by one query's scores, the best first; ties by name as
/// trec_eval has them.
std::vector<std::size_t> ranking(const Collection& collection, const std::vector<double>& scores);

double average_precision(const Collection& collection, const JudgedQuery& query,
                         const std::vector<double>& scores);

/// One a query.
std::vector<double> average_precisions(const Collection& collection, const ScoreTable& scores);

}  // namespace braid::bench
