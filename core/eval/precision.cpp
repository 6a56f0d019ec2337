// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/precision.h"

#include <algorithm>

#include "braid/core/eval/cut_measure.h"

namespace braid {
namespace {

std::size_t count_from(std::span<const Grade> grades, Grade grade) {
    return static_cast<std::size_t>(
        std::count_if(grades.begin(), grades.end(), [grade](Grade g) { return g >= grade; }));
}

class Precision final : public CutMeasure {
  public:
    Precision(std::size_t cutoff, const MeasureOptions& options)
        : CutMeasure("p", cutoff), relevant_from_(options.relevant_from) {}

    double scale(const JudgedPool& pool) const override {
        return pool.count_from(relevant_from_) == 0 ? 0 : static_cast<double>(depth());
    }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        return static_cast<double>(count_from(top(ranking), relevant_from_)) / scale;
    }

  private:
    Grade relevant_from_;
};

class RPrecision final : public CutMeasure {
  public:
    explicit RPrecision(const MeasureOptions& options)
        : CutMeasure("rprec", 0), relevant_from_(options.relevant_from) {}

    double scale(const JudgedPool& pool) const override {
        return static_cast<double>(pool.count_from(relevant_from_));
    }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        const std::size_t rank = std::min(static_cast<std::size_t>(scale), ranking.grades.size());
        return static_cast<double>(count_from(ranking.grades.first(rank), relevant_from_)) / scale;
    }

  private:
    Grade relevant_from_;
};

}  // namespace

std::unique_ptr<const Measure> make_precision(std::size_t cutoff, const MeasureOptions& options) {
    return std::make_unique<Precision>(cutoff, options);
}

std::unique_ptr<const Measure> make_r_precision(std::size_t, const MeasureOptions& options) {
    return std::make_unique<RPrecision>(options);
}

}  // namespace braid
