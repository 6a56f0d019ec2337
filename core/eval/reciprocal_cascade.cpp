// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/reciprocal_cascade.h"

#include <algorithm>

#include "braid/core/eval/cut_measure.h"
#include "braid/core/eval/exponential_gain.h"

namespace braid {
namespace {

class ExpectedReciprocalRank final : public CutMeasure {
  public:
    ExpectedReciprocalRank(std::size_t cutoff, const MeasureOptions& options)
        : CutMeasure("err", cutoff), highest_grade_(options.highest_grade) {}

    double scale(const JudgedPool& pool) const override { return pool.count_from(1) == 0 ? 0 : 1; }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        const std::span<const Grade> grades = top(ranking);
        const double whole = exponential_gain(highest_grade_) + 1;
        double still_looking = 1;
        double sum = 0;
        for (std::size_t i = 0; i < grades.size(); ++i) {
            if (grades[i] <= 0) continue;
            const double stops = exponential_gain(std::min(grades[i], highest_grade_)) / whole;
            sum += still_looking * stops / static_cast<double>(i + 1);
            still_looking *= 1 - stops;
        }
        return sum;
    }

  private:
    Grade highest_grade_;
};

}  // namespace

std::unique_ptr<const Measure> make_err(std::size_t cutoff, const MeasureOptions& options) {
    return std::make_unique<ExpectedReciprocalRank>(cutoff, options);
}

}  // namespace braid
