// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/core/eval/measure.h"
#include "braid/core/eval/measures.h"

namespace braid {
namespace {

constexpr std::size_t kDiscountsKept = 2048;

// The weight of rank i + 1 is 1 / log2(i + 2), or LETOR's 1 / max(1, log2(i + 1)). Logarithms
// cost more than everything else here, so those of the usual ranks are kept.
class Discounts {
  public:
    static const Discounts& usual() {
        static const Discounts discounts(2);
        return discounts;
    }
    static const Discounts& letor() {
        static const Discounts discounts(1);
        return discounts;
    }

    double operator[](std::size_t i) const { return i < kept_.size() ? kept_[i] : compute(i); }

  private:
    explicit Discounts(int offset) : offset_(offset) {
        for (std::size_t i = 0; i < kDiscountsKept; ++i) kept_.push_back(compute(i));
    }

    double compute(std::size_t i) const {
        const double logarithm = std::log2(static_cast<double>(i) + offset_);
        return logarithm > 1 ? 1 / logarithm : 1;
    }

    int offset_;
    std::vector<double> kept_;
};

struct LinearGain {
    double operator()(Grade grade) const { return grade > 0 ? grade : 0; }
};

struct ExponentialGain {
    double operator()(Grade grade) const { return exponential_gain(grade); }
};

// A ranking that equals the ideal one sums the same numbers in the same order, so it gets 1
// exactly and none gets more.
template <typename Gain>
double discounted_sum(std::span<const Grade> grades, const Discounts& discounts) {
    double sum = 0;
    for (std::size_t i = 0; i < grades.size(); ++i) {
        if (grades[i] > 0) sum += Gain()(grades[i]) * discounts[i];
    }
    return sum;
}

template <typename Gain>
class Ndcg final : public CutMeasure {
  public:
    Ndcg(const char* name, const Discounts& discounts, bool needs_full_depth, std::size_t cutoff,
         bool has_whole_ideal = false)
        : CutMeasure(name, cutoff),
          discounts_(discounts),
          needs_full_depth_(needs_full_depth),
          has_whole_ideal_(has_whole_ideal) {}

    double scale(const JudgedPool& pool) const override {
        return discounted_sum<Gain>(
            has_whole_ideal_ ? std::span<const Grade>(pool.grades) : top({pool.grades, pool}),
            discounts_);
    }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        if (needs_full_depth_ && ranking.grades.size() < depth()) return 0;
        return discounted_sum<Gain>(top(ranking), discounts_) / scale;
    }

    bool is_rank_sum() const override { return true; }
    double gain(Grade grade) const override { return Gain()(grade); }
    double discount(std::size_t rank, double) const override {
        return rank < depth() ? discounts_[rank] : 0;
    }

  private:
    const Discounts& discounts_;
    bool needs_full_depth_;
    bool has_whole_ideal_;
};

// LETOR's MeanNDCG: the mean of ndcg-letor@r over the ranks r of the ranking.
class MeanNdcg final : public CutMeasure {
  public:
    MeanNdcg() : CutMeasure("ndcg-letor", 0) {}

    double scale(const JudgedPool& pool) const override { return pool.count_from(1) == 0 ? 0 : 1; }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0 || ranking.grades.empty()) return 0;
        const std::vector<Grade>& best = ranking.pool.grades;
        const Discounts& discounts = Discounts::letor();
        double gain = 0;
        double ideal = 0;
        double sum = 0;
        for (std::size_t i = 0; i < ranking.grades.size(); ++i) {
            gain += exponential_gain(ranking.grades[i]) * discounts[i];
            if (i < best.size()) ideal += exponential_gain(best[i]) * discounts[i];
            sum += gain / ideal;
        }
        return sum / static_cast<double>(ranking.grades.size());
    }
};

}  // namespace

std::unique_ptr<const Measure> make_ndcg(std::size_t cutoff, const MeasureOptions&) {
    return std::make_unique<Ndcg<LinearGain>>("ndcg", Discounts::usual(), false, cutoff);
}

std::unique_ptr<const Measure> make_ndcg_whole(std::size_t cutoff, const MeasureOptions&) {
    return std::make_unique<Ndcg<LinearGain>>("ndcg-whole", Discounts::usual(), false, cutoff,
                                              true);
}

std::unique_ptr<const Measure> make_ndcg_exp(std::size_t cutoff, const MeasureOptions&) {
    return std::make_unique<Ndcg<ExponentialGain>>("ndcg-exp", Discounts::usual(), false, cutoff);
}

std::unique_ptr<const Measure> make_ndcg_letor(std::size_t cutoff, const MeasureOptions&) {
    if (cutoff == 0) return std::make_unique<MeanNdcg>();
    return std::make_unique<Ndcg<ExponentialGain>>("ndcg-letor", Discounts::letor(), true, cutoff);
}

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
