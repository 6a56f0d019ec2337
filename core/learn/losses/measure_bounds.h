// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/learn/losses/permutations.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"

namespace braid {

/// Increasing functions above [x >= 0]: e^x, log2(1 + e^x), max(0, 1 + x).
enum class BoundForm { kExponential, kLogistic, kHinge };

double bound_form(BoundForm form, double x);

/// The measure that a function loses, summed over the queries on which something can score;
/// docs/algorithms/measure-bounds.md (1).
double basic_loss(const TrainingMeasure& measure, const RankingFunction& function);

/// The type one bound of the basic loss, (2). With the hinge, the basic loss itself.
double type_one_bound(const TrainingMeasure& measure, const RankingFunction& function,
                      BoundForm form);

/// The pairs of documents over which a ranking's score is the mean.
enum class PairsOf {
    kAll,     ///< All, as for permurank's F, the paper's equation (2).
    kUnequal  ///< Pairs of two classes, as for svm-map's F.
};

/// The exact type two bound of one query, (3), over every possible ranking. Rankings with the same
/// classes in the same places have the same loss, so only the orders of classes are enumerated. The
/// losses are computed once, for any number of scores. Borrows `permutations`.
class TypeTwoBound {
  public:
    /// Throws InvalidArgument if the query has more than `most` orders of its classes.
    TypeTwoBound(const Permutations& permutations, std::size_t query,
                 std::size_t most = 10'000'000);

    /// O(orders x documents x classes).
    double maximum(std::span<const double> scores, BoundForm form,
                   PairsOf pairs = PairsOf::kAll) const;

    /// The left side of the condition of theorem 3, (5): the least distance from a perfect to an
    /// imperfect ranking. 0 if no ranking is imperfect.
    double least_distance(std::span<const double> scores, PairsOf pairs = PairsOf::kAll) const;

    std::size_t orders() const { return lost_.size(); }

  private:
    std::size_t count_orders() const;
    template <typename Visit>
    void visit_imperfect(std::span<const double> scores, PairsOf pairs, const Visit& visit) const;

    const Permutations& permutations_;
    std::size_t query_;
    std::vector<int> classes_;          // One a document: its class, from 0.
    std::vector<std::uint8_t> orders_;  // orders() x documents: the class in each place.
    std::vector<double> lost_;
};

/// (3) and, with a sum instead of the maximum, (4), over given rankings of one query: the bound on
/// working sets.
struct BoundOfSets {
    double maximum = 0;
    double sum = 0;
};
BoundOfSets type_two_of_sets(const Permutations& permutations, std::size_t query,
                             std::span<const double> scores, std::span<const Permutation> perfect,
                             std::span<const Permutation> imperfect, BoundForm form);

}  // namespace braid
