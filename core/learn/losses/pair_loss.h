// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "braid/core/learn/losses/score_loss.h"
#include "braid/training_set.h"

namespace braid {

struct PairLossOptions {
    bool squared = false;  ///< Squares max(0, 1 - difference).
    /// Weight of a pair: equal for all pairs; equal for all queries; or also by the pair's two
    /// grades. The loss is a weighted mean over pairs.
    enum class Costs { kEven, kQueries, kQueriesAndGrades } costs = Costs::kQueries;
};

/// The hinge loss of pairs of documents of one query and unequal grades;
/// docs/algorithms/ranksvm.md. O(n log n + n G) for n documents and G grades in the set, without
/// visiting all pairs. Borrows the set.
class PairLoss : public ScoreLoss {
  public:
    PairLoss(const TrainingSet& set, const PairLossOptions& options);

    /// Only pairs of these two grades.
    PairLoss(const TrainingSet& set, const PairLossOptions& options, Grade better, Grade worse);

    double of_query(std::size_t query, std::span<const double> scores,
                    std::span<double> slopes) const override;
    bool is_smooth() const override { return squared_; }

    /// The cost of pairs of these grades relative to the most expensive ones, by (4).
    double cost(Grade better, Grade worse) const;
    std::size_t pairs(std::size_t query) const { return pairs_[query]; }

  private:
    struct Side;

    void find_levels();
    void count_pairs();
    void weigh_grades();
    void weigh_queries(PairLossOptions::Costs costs);
    std::size_t level_of(Grade grade) const;
    double& cost_at(std::size_t better, std::size_t worse) {
        return costs_[better * grades_.size() + worse];
    }
    double cost_at(std::size_t better, std::size_t worse) const {
        return costs_[better * grades_.size() + worse];
    }
    std::vector<std::size_t> counts(std::size_t query) const;

    const TrainingSet& set_;
    bool squared_;
    std::vector<Grade> grades_;          // Ascending; kUnjudged is 0.
    std::vector<std::uint16_t> levels_;  // One a row: its grade's index in grades_.
    std::vector<double> costs_;          // Grades x grades; 0 unless the first is better.
    std::vector<std::size_t> pairs_;     // One a query: number of pairs with a cost.
    std::vector<double> query_weights_;
};

/// Every pair of grades that occurs in a query of the set, the better first; descending.
std::vector<std::pair<Grade, Grade>> grade_pairs(const TrainingSet& set);

}  // namespace braid
