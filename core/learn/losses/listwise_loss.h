// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/learn/losses/score_loss.h"
#include "braid/training_set.h"

namespace braid {

/// ListNet's top-one loss: the divergence of the softmax of scores from the softmax of grades,
/// averaged over queries; docs/algorithms/listwise.md (1). O(n).
class TopOneLoss : public ScoreLoss {
  public:
    /// Borrows the set. Queries with documents of only one grade have weight 0.
    explicit TopOneLoss(const TrainingSet& set);

    double of_query(std::size_t query, std::span<const double> scores,
                    std::span<double> slopes) const override;
    bool is_smooth() const override { return true; }

    /// The query's weight in the mean; 0 if nothing can be learned from it.
    double weight(std::size_t query) const { return weights_[query]; }

  private:
    const TrainingSet& set_;
    std::vector<double> wanted_;  // One a row: the softmax of grades.
    std::vector<double> weights_;
};

/// ListMLE's loss: the negative log likelihood of a grade-sorted ranking by Plackett and Luce's
/// model, with ties by Breslow and without the stages of the lowest grade;
/// docs/algorithms/listwise.md (3). O(n log n).
class PlackettLuceLoss : public ScoreLoss {
  public:
    enum class Costs {
        kEven,    ///< A mean over stages.
        kQueries  ///< A mean over queries of means over their stages.
    };

    /// Borrows the set.
    PlackettLuceLoss(const TrainingSet& set, Costs costs);

    double of_query(std::size_t query, std::span<const double> scores,
                    std::span<double> slopes) const override;
    bool is_smooth() const override { return true; }

  private:
    const TrainingSet& set_;
    std::vector<std::uint32_t> by_grade_;  // Each query's documents, grades ascending.
    std::vector<double> weights_;          // One a query: weight of each of its stages.
};

}  // namespace braid
