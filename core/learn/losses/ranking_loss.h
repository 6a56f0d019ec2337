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

/// For each irrelevant document, the number of relevant ones before it in the ranking that
/// maximises the lost measure plus (mean over pairs of) 2 (irrelevant - relevant score) of pairs in
/// the wrong order: equations (4) to (6). Both lists are descending. `lost(k, j)` is the loss of
/// the k-th relevant document when the j-th irrelevant one also moves before it (from 1); it must
/// not rise with j. The result is ascending. O((R + N) log N), instead of R N for visiting all
/// pairs. Of several best rankings, the one closest to a perfect one.
template <typename Lost>
void most_violated(std::span<const double> relevant, std::span<const double> irrelevant,
                   const Lost& lost, double per_pair, std::span<std::uint32_t> preceding) {
    struct Part {
        std::size_t first, last;  // Irrelevant documents, last excluded.
        std::size_t low, high;    // Range of their `preceding`.
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

/// The structured hinge loss of rankings of two classes, averaged over queries: the maximum over
/// rankings of the lost measure plus the scores' preference for it over a perfect ranking.
/// docs/algorithms/svm-map.md (3). Graded documents make several problems of two classes, one a
/// threshold. O(n log n) a query and threshold.
class RankingLoss : public ScoreLoss {
  public:
    enum class Aim {
        kAveragePrecision,
        kLinearGain,       ///< ndcg with the grade as gain.
        kExponentialGain,  ///< ndcg with 2^grade - 1.
    };

    /// Borrows the set. `relevant_from` is for average precision; gains use all grades above 0.
    RankingLoss(const TrainingSet& set, Aim aim, Grade relevant_from);

    double of_query(std::size_t query, std::span<const double> scores,
                    std::span<double> slopes) const override;

  private:
    // Documents of grade `from` or above against all others.
    struct Threshold {
        Grade from;
        double gain;   // Gain over the previous threshold; for average precision 1.
        double share;  // This problem's share of the query's loss.
    };
    struct Query {
        std::vector<Threshold> thresholds;
        double scale = 0;  // The measure's divisor.
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
