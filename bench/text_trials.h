// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "braid/bench/text_rankers.h"
#include "braid/core/learners/data/training_set.h"

namespace braid::bench {

struct TrialOptions {
    std::vector<std::string> families;
    std::string normaliser = "z-score";
    /// A training pool is the union of each ranker's first documents, so many of them, and the
    /// relevant ones; 0: the collection.
    std::size_t pool = 500;
};

/// What one fold of one seed works with. Scores are normalised over the whole collection, and
/// documents in the order in which trec_eval breaks ties. A query's features are statistics of its
/// lists, over the whole collection as well.
struct Trial {
    std::vector<std::size_t> test;      ///< Queries, ascending.
    std::vector<std::string> variants;  ///< Of each family the best on the training queries.
    TrainingSet training;
    TrainingSet testing;  ///< Pools are the whole collection.
};

/// Makes trials for one collection; keeps the scores of rankers that were chosen.
class TextTrials {
  public:
    TextTrials(TextRankers& rankers, TrialOptions options);

    Trial make(const std::vector<std::size_t>& train, const std::vector<std::size_t>& test);

    /// The variant of that family with the best mean on those queries.
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
    std::map<std::string, ScoreTable> scores_;
    std::map<std::string, std::vector<double>> precisions_;
};

}  // namespace braid::bench
