// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/judged_share.h"

#include <algorithm>

#include "braid/core/eval/cut_measure.h"

namespace braid {
namespace {

class JudgedShare final : public CutMeasure {
  public:
    explicit JudgedShare(std::size_t cutoff) : CutMeasure("judged", cutoff) {}

    double scale(const JudgedPool& pool) const override { return pool.size() == 0 ? 0 : 1; }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        const std::span<const Grade> grades = top(ranking);
        if (scale == 0 || grades.empty()) return 0;
        const auto unjudged =
            static_cast<std::size_t>(std::count(grades.begin(), grades.end(), kUnjudged));
        return ratio(grades.size() - unjudged, grades.size());
    }
};

}  // namespace

std::unique_ptr<const Measure> make_judged_share(std::size_t cutoff, const MeasureOptions&) {
    return std::make_unique<JudgedShare>(cutoff);
}

}  // namespace braid
