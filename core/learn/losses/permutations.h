// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/learn/losses/score_loss.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// A ranking: the documents of a pool, best first.
using Permutation = std::vector<std::uint32_t>;

/// Perfect and imperfect rankings of a measure's queries, and the scores that linear models give
/// them, F = sum over documents of score (n + 1 - 2 place) / (n (n - 1)), places from 1;
/// docs/algorithms/permurank.md. For measures whose perfect rankings are known: map, and ndcg and
/// ndcg-exp with any cut-off. Borrows the measure.
class BRAID_API Permutations {
  public:
    /// Throws InvalidArgument for another measure.
    explicit Permutations(const TrainingMeasure& measure);

    /// Of the perfect rankings the one of least F, and of the others the one of largest: those that
    /// a model puts furthest from where they belong. (2), (3). Nothing where all rankings are
    /// alike.
    Permutation worst_perfect(std::size_t query, std::span<const double> scores) const;
    /// Of the perfect rankings the one of largest F: nothing moves but what has to. (4).
    Permutation best_perfect(std::size_t query, std::span<const double> scores) const;
    std::optional<Permutation> best_imperfect(std::size_t query,
                                              std::span<const double> scores) const;

    /// What the measure tells apart: a document's relevance or grade.
    int class_of(std::size_t query, std::size_t document) const {
        return classes_[measure_.set().query_begin[query] + document];
    }

    /// The measure of a ranking, less than that of a perfect one: 0 .. 1.
    double lost(std::size_t query, const Permutation& ranking) const;
    bool is_perfect(std::size_t query, const Permutation& ranking) const;
    /// F.
    static double score(const Permutation& ranking, std::span<const double> scores);

    const TrainingMeasure& measure() const { return measure_; }

  private:
    void arrange(std::size_t query, Permutation& order) const;
    Permutation sorted(std::size_t query, std::span<const double> scores) const;
    std::size_t depth(std::size_t query) const;

    const TrainingMeasure& measure_;
    std::vector<int> classes_;  // One a row: what the measure tells apart.
};

/// The loss of permurank on working sets: per query the mean over perfect rankings of the sum over
/// imperfect ones of what they lose times [1 - (F of the perfect - F of the imperfect)]+; the mean
/// over queries. (1). F is linear in the weights as a document's score is, so to this loss a
/// query's "documents" are its rankings: those of `rankings`, and its scores their F.
class BRAID_API PermutationLoss : public ScoreLoss {
  public:
    /// `nearest`: working sets get the perfect ranking of largest F, not the one of least.
    explicit PermutationLoss(const Permutations& permutations, bool nearest = false);

    /// Adds each query's perfect ranking (the worst one, or the best) and best imperfect ranking,
    /// where they are new. False where none was. `scores` are of all rows of documents.
    bool extend(std::span<const double> scores);

    /// What there is of each query: a row a ranking, whose product with the weights is its F.
    /// Changes with `extend`.
    const TrainingSet& rankings() const { return rankings_; }

    /// O(R log R) for R rankings.
    double of_query(std::size_t query, std::span<const double> scores,
                    std::span<double> slopes) const override;

    /// (5): the mean over queries of the squared distance between the features of their first
    /// perfect and first imperfect ranking; 1 where that is 0.
    double first_gap() const;

    std::size_t perfect(std::size_t query) const;
    std::size_t imperfect(std::size_t query) const;

  private:
    struct Member {
        Permutation ranking;
        double lost;  // 0 for a perfect one.
        bool is_perfect;
    };

    bool add(std::size_t query, Permutation ranking, bool is_perfect);
    void add_rows();

    const Permutations& permutations_;
    bool nearest_;
    std::vector<std::vector<Member>> sets_;  // One a query, as they came.
    TrainingSet rankings_;
};

}  // namespace braid
