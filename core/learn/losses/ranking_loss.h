// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/learn/losses/score_loss.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

/// The structured hinge loss of rankings of two classes, in the mean over queries: the most that a
/// ranking loses of the measure, plus what the scores prefer it to a perfect one.
/// docs/algorithms/svm-map.md (3). Graded documents are several problems of two classes, one a
/// threshold. O(n log n) a query and threshold.
class BRAID_API RankingLoss : public ScoreLoss {
  public:
    enum class Aim {
        kAveragePrecision,
        kLinearGain,       ///< ndcg with the grade as gain.
        kExponentialGain,  ///< ndcg with 2^grade - 1.
    };

    /// Borrows the set. `relevant_from` is for average precision; gains have all grades above 0.
    RankingLoss(const TrainingSet& set, Aim aim, Grade relevant_from);

    double of_query(std::size_t query, std::span<const double> scores,
                    std::span<double> slopes) const override;

  private:
    // Documents of grade `from` or above against the others.
    struct Threshold {
        Grade from;
        double gain;   // What a document has above the threshold before; for average precision 1.
        double share;  // Of the query's loss that this problem is.
    };
    struct Query {
        std::vector<Threshold> thresholds;
        double scale = 0;  // What the measure divides by.
    };
    struct Split;

    std::vector<Threshold> thresholds_of(std::size_t query, Grade relevant_from) const;
    double gain(Grade grade) const;
    double lost(const Query& query, const Threshold& threshold, std::size_t before,
                std::size_t k) const;
    double of_threshold(const Query& query, const Threshold& threshold, const Split& split,
                        std::span<double> slopes) const;

    const TrainingSet& set_;
    Aim aim_;
    std::vector<double> discounts_;  // 1 / log2(rank + 1), from rank 1.
    std::vector<Query> queries_;
    double query_weight_ = 0;
};

}  // namespace braid
