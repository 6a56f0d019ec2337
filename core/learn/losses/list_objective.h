// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The objective of the wep, wel, welv, awel and awelv learners. Equations are those of
// docs/algorithms/list-loss.md.

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/list_loss.h"
#include "braid/error.h"

namespace braid {

struct ListOptions {
    bool pairs = false;  ///< The loss of pairs instead of that of lists.
    /// Divides a query's loss by its number of chosen documents, so that queries with many relevant
    /// ones don't outweigh the others.
    bool queries_alike = false;
    GradeTies ties = GradeTies::kBreslow;
    double diversity = 0;        ///< lambda of (9).
    double interpolation = 0.5;  ///< c of (8).
    std::uint64_t seed = kDefaultSeed;
};

/// The loss minus lambda times the diversity, query by query. Borrows the set. Reading is safe from
/// several threads.
class ListObjective {
  public:
    /// The documents of one query.
    struct Query {
        std::vector<std::uint32_t> rows;  ///< Rows of the set, in the order of the stages.
        std::vector<Grade> grades;
        ListStages stages;
        std::vector<double> spreads;  ///< C' of (8), one a ranker; only if diversity counts.
        std::vector<double> slopes;   ///< b of (8).
    };

    ListObjective(const TrainingSet& set, const ListOptions& options);

    const ListOptions& options() const { return options_; }
    const TrainingSet& set() const { return set_; }

    /// Queries with documents of more than one grade, ascending; only these have a loss.
    const std::vector<std::size_t>& queries() const { return queries_; }

    /// All documents of the i-th of `queries()`.
    const Query& whole(std::size_t i) const { return wholes_[i]; }

    /// (9) of one query. A non-empty `gradient` receives the derivatives by the weights. If
    /// diversity counts, the weights must not sum to 0.
    double value(const Query& query, std::span<const double> weights,
                 std::span<double> gradient) const;

    /// The mean over `queries()`, with all their documents. A non-empty `gradient` receives the
    /// derivatives by the weights.
    double mean(std::span<const double> weights, std::span<double> gradient = {}) const;

  private:
    Query query_of(const std::vector<std::uint32_t>& rows, Random& random) const;
    void find_constants(Query& query) const;
    double subtract_diversity(const Query& query, std::span<const double> weights,
                              std::span<const double> scores, std::span<double> slopes,
                              std::span<double> gradient) const;

    const TrainingSet& set_;
    ListOptions options_;
    std::vector<std::size_t> queries_;
    std::vector<Query> wholes_;
};

/// Whether the sum of the weights is too near 0 for (8), which divides by it.
bool sums_to_nothing(std::span<const double> weights);

/// The parameters and choices of ListOptions, and the options that a caller's values give.
std::vector<ParameterInfo> list_parameters(bool with_diversity);
ChoiceInfo list_ties_choice();
ChoiceInfo list_queries_choice();
ListOptions list_options(const LearnerOptions& options);

}  // namespace braid
