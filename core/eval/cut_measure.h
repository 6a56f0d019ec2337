// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "braid/core/eval/measure.h"

namespace braid {

/// What measures with an optional cut-off share. A cut-off of 0 stands for none.
class CutMeasure : public Measure {
  public:
    CutMeasure(std::string base_name, std::size_t cutoff)
        : base_name_(std::move(base_name)), cutoff_(cutoff) {}

    std::size_t depth() const final { return cutoff_ == 0 ? kWholeRanking : cutoff_; }
    std::string name() const final {
        return cutoff_ == 0 ? base_name_ : base_name_ + "@" + std::to_string(cutoff_);
    }

  protected:
    std::span<const Grade> top(const JudgedRanking& ranking) const {
        return ranking.grades.first(std::min(depth(), ranking.grades.size()));
    }

  private:
    std::string base_name_;
    std::size_t cutoff_;
};

inline double ratio(std::size_t numerator, std::size_t denominator) {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
}

}  // namespace braid
