// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/recall.h"

#include <algorithm>

#include "braid/core/eval/cut_measure.h"

namespace braid {
namespace {

// Recall divides by the relevant documents there are, recall-min by those that fit above the
// cut-off: the two differ in nothing else.
class Recall final : public CutMeasure {
  public:
    Recall(const char* name, bool at_most_cutoff, std::size_t cutoff, const MeasureOptions& options)
        : CutMeasure(name, cutoff),
          at_most_cutoff_(at_most_cutoff),
          relevant_from_(options.relevant_from) {}

    double scale(const JudgedPool& pool) const override {
        const std::size_t relevant = pool.count_from(relevant_from_);
        return static_cast<double>(at_most_cutoff_ ? std::min(relevant, depth()) : relevant);
    }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        std::size_t found = 0;
        for (const Grade grade : top(ranking)) found += grade >= relevant_from_ ? 1 : 0;
        return static_cast<double>(found) / scale;
    }

  private:
    bool at_most_cutoff_;
    Grade relevant_from_;
};

}  // namespace

std::unique_ptr<const Measure> make_recall(std::size_t cutoff, const MeasureOptions& options) {
    return std::make_unique<Recall>("recall", false, cutoff, options);
}

std::unique_ptr<const Measure> make_recall_min(std::size_t cutoff, const MeasureOptions& options) {
    return std::make_unique<Recall>("recall-min", true, cutoff, options);
}

}  // namespace braid
