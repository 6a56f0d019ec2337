// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/binary_preference.h"

#include <algorithm>

#include "braid/core/eval/cut_measure.h"

namespace braid {
namespace {

class BinaryPreference final : public CutMeasure {
  public:
    explicit BinaryPreference(const MeasureOptions& options)
        : CutMeasure("bpref", 0), relevant_from_(options.relevant_from) {}

    double scale(const JudgedPool& pool) const override {
        return static_cast<double>(pool.count_from(relevant_from_));
    }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        const auto relevant = static_cast<std::size_t>(scale);
        // As in trec_eval a negative grade is that of a document in the pool that was not judged.
        const std::size_t others = std::min(ranking.pool.count_from(0) - relevant, relevant);
        std::size_t above = 0;
        std::size_t found = 0;
        double sum = 0;
        for (const Grade grade : ranking.grades) {
            if (grade >= relevant_from_) {
                sum += above == 0 ? 1 : 1 - ratio(std::min(above, others), others);
                if (++found == relevant) break;
            } else if (grade >= 0) {
                ++above;
            }
        }
        return sum / scale;
    }

  private:
    Grade relevant_from_;
};

}  // namespace

std::unique_ptr<const Measure> make_bpref(std::size_t, const MeasureOptions& options) {
    return std::make_unique<BinaryPreference>(options);
}

}  // namespace braid
