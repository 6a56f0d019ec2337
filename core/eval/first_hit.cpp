// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/measure.h"
#include "braid/core/eval/measures.h"

namespace braid {
namespace {

// The place of the first relevant document decides: its reciprocal rank, or that there is one.
class FirstHit final : public CutMeasure {
  public:
    FirstHit(const char* name, bool reciprocal, std::size_t cutoff, const MeasureOptions& options)
        : CutMeasure(name, cutoff),
          reciprocal_(reciprocal),
          relevant_from_(options.relevant_from) {}

    double scale(const JudgedPool& pool) const override {
        return pool.count_from(relevant_from_) == 0 ? 0 : 1;
    }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        const std::span<const Grade> grades = top(ranking);
        for (std::size_t i = 0; i < grades.size(); ++i) {
            if (grades[i] >= relevant_from_) return reciprocal_ ? ratio(1, i + 1) : 1;
        }
        return 0;
    }

  private:
    bool reciprocal_;
    Grade relevant_from_;
};

class WinnerTakesAll final : public Measure {
  public:
    explicit WinnerTakesAll(const MeasureOptions& options)
        : relevant_from_(options.relevant_from) {}

    double scale(const JudgedPool& pool) const override {
        return pool.count_from(relevant_from_) == 0 ? 0 : 1;
    }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0 || ranking.grades.empty()) return 0;
        return ranking.grades.front() == ranking.pool.grades.front() ? 1 : 0;
    }

    std::size_t depth() const override { return 1; }
    std::string name() const override { return "wta"; }

  private:
    Grade relevant_from_;
};

}  // namespace

std::unique_ptr<const Measure> make_reciprocal_rank(std::size_t cutoff,
                                                    const MeasureOptions& options) {
    return std::make_unique<FirstHit>("mrr", true, cutoff, options);
}

std::unique_ptr<const Measure> make_success(std::size_t cutoff, const MeasureOptions& options) {
    return std::make_unique<FirstHit>("success", false, cutoff, options);
}

std::unique_ptr<const Measure> make_winner_takes_all(std::size_t, const MeasureOptions& options) {
    return std::make_unique<WinnerTakesAll>(options);
}

}  // namespace braid
