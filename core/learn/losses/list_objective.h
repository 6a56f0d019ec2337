// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// What the wep, wel, welv, awel and awelv learners minimise; not installed. Equations are those of
// docs/algorithms/list-loss.md.

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/list_loss.h"

namespace braid {

struct ListOptions {
    bool pairs = false;  ///< The loss of pairs instead of the one of lists.
    /// Whether a query's loss is divided by the documents that are chosen in it, so that those with
    /// many relevant ones don't outweigh the others.
    bool queries_alike = false;
    GradeTies ties = GradeTies::kBreslow;
    double diversity = 0;        ///< lambda of (9).
    double interpolation = 0.5;  ///< c of (8).
    std::size_t sample = 0;      ///< kappa: documents of a query that a step looks at; 0: all.
    std::uint64_t seed = kDefaultSeed;
};

/// The loss less lambda times the diversity, query by query. Borrows the set. Reading is safe from
/// several threads.
class BRAID_API ListObjective {
  public:
    /// The part of one query that is looked at.
    struct Query {
        std::vector<std::uint32_t> rows;  ///< Of the set, in the order of the stages.
        std::vector<Grade> grades;
        ListStages stages;
        std::vector<double> spreads;  ///< C' of (8), one a ranker; only where diversity counts.
        std::vector<double> slopes;   ///< b of (8).
    };

    ListObjective(const TrainingSet& set, const ListOptions& options);

    const ListOptions& options() const { return options_; }
    const TrainingSet& set() const { return set_; }

    /// Queries with documents of more than one grade, ascending: the others have nothing to say.
    const std::vector<std::size_t>& queries() const { return queries_; }

    /// The whole of the i-th of `queries()`.
    const Query& whole(std::size_t i) const { return wholes_[i]; }

    /// `sample` of its documents at random, of more than one grade; the whole where it has no more.
    Query sampled(std::size_t i, Random& random) const;

    /// (9) of one query. Where `gradient` is not empty it becomes the derivatives by the weights.
    /// Where diversity counts the weights must not sum to 0.
    double value(const Query& query, std::span<const double> weights,
                 std::span<double> gradient) const;

    /// The mean over `queries()`, of the whole of each. Where `gradient` is not empty it becomes
    /// the derivatives by the weights.
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

/// Whether the weights are too near sum 0 for (8), which divides by it.
BRAID_API bool sums_to_nothing(std::span<const double> weights);

/// The parameters and choices of ListOptions, and what a caller made of them.
std::vector<ParameterInfo> list_parameters(bool with_diversity);
ChoiceInfo list_ties_choice();
ChoiceInfo list_queries_choice();
ListOptions list_options(const LearnerOptions& options);

}  // namespace braid
