// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "braid/bench/learner_quality/text_rankers.h"
#include "braid/training_set.h"

namespace braid::bench {

struct TrialOptions {
    std::vector<std::string> families;
    std::string normaliser = "z-score";
    /// A training pool is the union of each ranker's first documents, so many of them; 0: the
    /// collection.
    std::size_t pool = 500;
    /// Whether the relevant documents that no ranker has among those are added to it. With small
    /// pools they teach that low scores are relevant: what they are better than isn't there.
    bool adds_judged = true;
    /// What weights by query may follow from: "lists", statistics of the rankers' lists over the
    /// whole collection; "words", numbers and rarities of the query's words; "topics", the query
    /// folded into an LSA of the collection in so many dimensions; "origin", which of the merged
    /// collections it is from, as if somebody knew.
    std::vector<std::string> features = {"lists"};
    std::size_t topic_dimensions = 20;
};

/// What one fold of one seed works with. Scores are normalised over the whole collection, and
/// documents in the order in which trec_eval breaks ties.
struct Trial {
    std::vector<std::size_t> test;      ///< Queries, ascending.
    std::vector<std::string> variants;  ///< Of each family the best on the training queries.
    TrainingSet training;
    TrainingSet testing;  ///< Pools are the whole collection.
};

/// Makes trials for one collection; keeps the scores of rankers that were chosen.
class TextTrials {
  public:
    TextTrials(TextRankers& rankers, TrialOptions options, Executor& executor);

    Trial make(const std::vector<std::size_t>& train, const std::vector<std::size_t>& test);

    /// All documents by that ranker alone.
    TrainingSet alone(const std::string& variant, const std::vector<std::size_t>& queries);

    /// The variant of that family with the best mean on those queries; a variant's own name
    /// stands for itself, untuned.
    std::string best_variant(const std::string& family, const std::vector<std::size_t>& queries);
    const std::vector<double>& precisions(const std::string& variant);

    /// The family whose best variant is best on those queries.
    std::string best_single(const std::vector<std::size_t>& queries);

  private:
    TrainingSet set_of(const std::vector<std::string>& variants,
                       const std::vector<std::size_t>& queries, std::size_t pool);
    std::vector<std::size_t> pool_of(const TrainingSet& whole, std::size_t size) const;
    const ScoreTable& scores(const std::string& variant);

    TextRankers& rankers_;
    TrialOptions options_;
    std::vector<std::size_t> order_;  // Documents by descending name.
    bool has(const std::string& group) const;
    void describe_words();
    void describe_topics(Executor& executor);
    void describe_origins();

    std::vector<std::string> feature_names_;     // Without those of lists.
    std::vector<std::vector<double>> features_;  // By query.
    std::map<std::string, ScoreTable> scores_;
    std::map<std::string, std::vector<double>> precisions_;
};

}  // namespace braid::bench
