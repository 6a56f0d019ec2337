// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// Where one ranker's scores may be cut in two: its rows in descending order, and after which of
/// them a threshold lies. Borrows the set.
class BRAID_API ThresholdColumn {
  public:
    ThresholdColumn() = default;

    /// `count` thresholds evenly between the least and the greatest score, fewer where some part
    /// the rows alike; 0: one between any two scores. Throws InvalidArgument for 2^31 rows or more.
    ThresholdColumn(const TrainingSet& set, std::size_t ranker, std::size_t count);

    /// Twice the row's number, and 1 more where a threshold comes after it.
    const std::vector<std::uint32_t>& rows() const { return rows_; }
    std::size_t row(std::size_t place) const { return rows_[place] >> 1U; }

    /// The threshold that exactly the first `rows` rows are above: halfway to the next score, or
    /// that where rounding leaves nothing between; or one of those evenly spaced.
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

}  // namespace braid
