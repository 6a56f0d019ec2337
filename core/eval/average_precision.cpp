// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <vector>

#include "braid/core/eval/measure.h"
#include "braid/core/eval/measures.h"

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

    bool is_average_precision() const override { return true; }

  private:
    Grade relevant_from_;
};

}  // namespace

std::unique_ptr<const Measure> make_average_precision(std::size_t cutoff,
                                                      const MeasureOptions& options) {
    return std::make_unique<AveragePrecision>(cutoff, options);
}

void add_interpolated_precision(const JudgedRanking& ranking, Grade relevant_from,
                                std::span<double> sums) {
    const std::size_t relevant = ranking.pool.count_from(relevant_from);
    if (relevant == 0) return;
    // best[r]: the highest precision at a rank with r relevant documents or more.
    std::vector<double> best(relevant + 1, 0.0);
    std::size_t found = 0;
    for (std::size_t i = 0; i < ranking.grades.size() && found < relevant; ++i) {
        if (ranking.grades[i] < relevant_from) continue;
        ++found;
        best[found] = static_cast<double>(found) / static_cast<double>(i + 1);
    }
    for (std::size_t r = relevant; r > 0; --r) best[r - 1] = std::max(best[r - 1], best[r]);
    const std::size_t steps = sums.size() - 1;
    for (std::size_t j = 0; j <= steps; ++j) {
        sums[j] += best[(j * relevant + steps - 1) / steps];
    }
}

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
