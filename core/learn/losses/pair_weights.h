// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/progress.h"
#include "braid/training_set.h"

namespace braid {

/// The thresholds of one ranker's scores: its rows in descending order, marked where a threshold
/// follows. Borrows the set.
class ThresholdColumn {
  public:
    ThresholdColumn() = default;

    /// `count` thresholds evenly between the lowest and the highest score, fewer if some split the
    /// rows alike; 0: one between any two scores. Throws InvalidArgument for 2^31 rows or more.
    ThresholdColumn(const TrainingSet& set, std::size_t ranker, std::size_t count);

    /// Twice the row's number, plus 1 if a threshold follows it.
    const std::vector<std::uint32_t>& rows() const { return rows_; }
    std::size_t row(std::size_t place) const { return rows_[place] >> 1U; }

    /// The threshold that exactly the first `rows` rows exceed: halfway to the next score, or the
    /// next score itself if rounding leaves nothing between; or one of the evenly spaced ones.
    double threshold(std::size_t rows) const;

  private:
    double value(std::size_t place) const {
        return set_->scores[row(place) * set_->width() + ranker_];
    }
    double even_threshold(std::size_t number) const;
    std::size_t rows_above(double threshold) const;

    const TrainingSet* set_ = nullptr;
    std::size_t ranker_ = 0;
    std::size_t count_ = 0;
    std::vector<std::uint32_t> rows_;
};

/// A distribution over the pairs of documents of one query and unequal grades. A pair's weight is
/// the query's weight times e^(score of the worse - score of the better); no number is stored per
/// pair. docs/algorithms/rankboost.md (1) to (4). Borrows the set.
class PairWeights {
  public:
    /// Starts at scores of 0. `queries_alike`: the pairs of a query weigh 1 together; otherwise
    /// each pair weighs the same.
    PairWeights(const TrainingSet& set, bool queries_alike);

    /// Scales the weights at `scores` (one a row) to sum 1, and computes the potentials. O(rows +
    /// grades).
    void update(std::span<const double> scores, Executor& executor);

    /// The same for the last scores plus `step` in every marked row. Needs no exponential a row,
    /// but adds a rounding error each time.
    void raise(std::span<const std::uint8_t> marked, double step, Executor& executor);

    /// For each row: the weight of pairs in which it is better, minus that of pairs in which it is
    /// worse.
    const std::vector<double>& potentials() const { return potentials_; }

    /// The weight of all pairs before `update` scaled it, relative to that at scores of 0.
    double total() const { return total_; }

    /// The weight of pairs in which only the better document is marked, and of pairs in which only
    /// the worse one is. O(rows x grades).
    struct Split {
        double right = 0;
        double wrong = 0;
    };
    Split split(std::span<const std::uint8_t> marked) const;

  private:
    void weigh(std::size_t query, std::span<const double> scores);
    double find_potentials(std::size_t query);
    template <typename Weigh>
    void each_query(Executor& executor, const Weigh& weigh);

    const TrainingSet& set_;
    std::vector<Grade> grades_;
    std::vector<std::uint32_t> levels_;  // One a row.
    std::vector<double> query_weights_;
    std::vector<double> as_better_;  // e^-score and e^score, one a row, roughly centred by query.
    std::vector<double> as_worse_;
    std::vector<double> potentials_;
    double total_ = 1;
};

}  // namespace braid
