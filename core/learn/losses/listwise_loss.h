// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/learn/losses/score_loss.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// ListNet's loss for the first place: the divergence of the softmax of scores from the softmax of
/// grades, in the mean over queries; docs/algorithms/listwise.md (1). O(n).
class BRAID_API TopOneLoss : public ScoreLoss {
  public:
    /// Borrows the set. Queries with documents of one grade only teach nothing.
    explicit TopOneLoss(const TrainingSet& set);

    double of_query(std::size_t query, std::span<const double> scores,
                    std::span<double> slopes) const override;
    bool is_smooth() const override { return true; }

    /// What the query counts in the mean; 0 where it teaches nothing.
    double weight(std::size_t query) const { return weights_[query]; }

  private:
    const TrainingSet& set_;
    std::vector<double> wanted_;  // One a row: the softmax of grades.
    std::vector<double> weights_;
};

/// ListMLE's: how unlikely a grade-sorted ranking is by Plackett and Luce's model, ties by
/// Breslow, without the stages of the lowest grade; docs/algorithms/listwise.md (3). O(n log n).
class BRAID_API PlackettLuceLoss : public ScoreLoss {
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
    std::vector<double> weights_;          // One a query: of each stage.
};

}  // namespace braid
