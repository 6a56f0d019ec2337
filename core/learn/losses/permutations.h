// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/learn/losses/score_loss.h"
#include "braid/core/learn/training_measure.h"
#include "braid/training_set.h"

namespace braid {

/// A ranking: the documents of a pool, best first.
using Permutation = std::vector<std::uint32_t>;

/// Perfect and imperfect rankings of a measure's queries, and their scores by linear models, F =
/// sum over documents of score (n + 1 - 2 place) / (n (n - 1)), places from 1;
/// docs/algorithms/permurank.md. For measures with known perfect rankings: map, and ndcg and
/// ndcg-exp with any cut-off. Borrows the measure.
class Permutations {
  public:
    /// Throws InvalidArgument for another measure.
    explicit Permutations(const TrainingMeasure& measure);

    /// The perfect ranking of least F and the imperfect one of largest F, which the model places
    /// worst. (2), (3). Empty if all rankings are alike.
    Permutation worst_perfect(std::size_t query, std::span<const double> scores) const;
    /// The perfect ranking of largest F: only documents that must move do. (4).
    Permutation best_perfect(std::size_t query, std::span<const double> scores) const;
    std::optional<Permutation> best_imperfect(std::size_t query,
                                              std::span<const double> scores) const;

    /// The class by which the measure distinguishes documents: relevance or grade.
    int class_of(std::size_t query, std::size_t document) const {
        return classes_[measure_.set().query_begin[query] + document];
    }

    /// How much the ranking's measure is below a perfect one's: 0 .. 1.
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
    std::vector<int> classes_;  // One a row.
};

/// The loss of permurank on working sets, averaged over queries. A query's loss is the mean over
/// its perfect rankings of the sum over imperfect ones of their lost measure times [1 - (F of the
/// perfect - F of the imperfect)]+. (1). F is linear in the weights, like a document's score, so to
/// this loss a query's "documents" are the rankings of `rankings`, and their scores are F.
class PermutationLoss : public ScoreLoss {
  public:
    /// `nearest`: working sets get the perfect ranking of largest F instead of least.
    explicit PermutationLoss(const Permutations& permutations, bool nearest = false);

    /// Adds each query's perfect ranking (the worst or the nearest) and best imperfect ranking if
    /// they are new. False if none was. `scores` has one number for each row of documents.
    bool extend(std::span<const double> scores);

    /// The working sets: a row a ranking, whose product with the weights is its F. Changes with
    /// `extend`.
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
    std::vector<std::vector<Member>> sets_;  // One a query, in order of arrival.
    TrainingSet rankings_;
};

}  // namespace braid
