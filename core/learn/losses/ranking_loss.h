// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/learn/losses/score_loss.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

// The most violated ranking of two classes. docs/algorithms/svm-map.md.

/// For each irrelevant document how many relevant ones precede it in the ranking that maximises
/// what the measure loses plus (mean over pairs of) 2 (irrelevant - relevant score) of pairs in the
/// wrong order: equations (4) to (6). Both lists are descending. `lost(k, j)` is what the
/// k-th relevant document loses where the j-th irrelevant one comes to precede it, too (from
/// 1); it may not rise with j. The result is ascending. O((R + N) log N), against the R N of
/// looking at all pairs. Where several rankings are best, the one closest to a perfect one.
template <typename Lost>
void most_violated(std::span<const double> relevant, std::span<const double> irrelevant,
                   const Lost& lost, double per_pair, std::span<std::uint32_t> preceding) {
    struct Part {
        std::size_t first, last;  // Irrelevant documents, last excluded.
        std::size_t low, high;    // What `preceding` of them can be.
    };
    std::vector<Part> parts = {{0, irrelevant.size(), 0, relevant.size()}};
    while (!parts.empty()) {
        const Part part = parts.back();
        parts.pop_back();
        if (part.first == part.last) continue;
        const std::size_t middle = part.first + (part.last - part.first) / 2;
        double gain = 0;
        double most = 0;
        std::size_t best = part.high;
        for (std::size_t k = part.high; k > part.low; --k) {
            gain += lost(k, middle + 1) - per_pair * (relevant[k - 1] - irrelevant[middle]);
            if (gain <= most) continue;
            most = gain;
            best = k - 1;
        }
        preceding[middle] = static_cast<std::uint32_t>(best);
        parts.push_back({part.first, middle, part.low, best});
        parts.push_back({middle + 1, part.last, best, part.high});
    }
}

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
