// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/average_precision.h"

#include "braid/core/eval/cut_measure.h"

namespace braid {
namespace {

class AveragePrecision final : public CutMeasure {
  public:
    AveragePrecision(std::size_t cutoff, const MeasureOptions& options)
        : CutMeasure("map", cutoff), relevant_from_(options.relevant_from) {}

    double scale(const JudgedPool& pool) const override {
        return static_cast<double>(pool.count_from(relevant_from_));
    }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        const std::span<const Grade> grades = top(ranking);
        const auto relevant = static_cast<std::size_t>(scale);
        std::size_t found = 0;
        double sum = 0;
        for (std::size_t i = 0; i < grades.size() && found < relevant; ++i) {
            if (grades[i] >= relevant_from_) sum += ratio(++found, i + 1);
        }
        return sum / scale;
    }

  private:
    Grade relevant_from_;
};

}  // namespace

std::unique_ptr<const Measure> make_average_precision(std::size_t cutoff,
                                                      const MeasureOptions& options) {
    return std::make_unique<AveragePrecision>(cutoff, options);
}

}  // namespace braid
