// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "braid/core/eval/measure.h"
#include "braid/core/eval/measures.h"

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

    bool is_rank_sum() const override { return true; }
    double gain(Grade grade) const override { return grade >= relevant_from_ ? 1 : 0; }
    double discount(std::size_t rank, double) const override { return rank < depth() ? 1 : 0; }

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

    bool is_rank_sum() const override { return true; }
    double gain(Grade grade) const override { return grade >= relevant_from_ ? 1 : 0; }
    double discount(std::size_t rank, double scale) const override {
        return static_cast<double>(rank) < scale ? 1 : 0;
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

    bool is_rank_sum() const override { return true; }
    double gain(Grade grade) const override { return grade >= relevant_from_ ? 1 : 0; }
    double discount(std::size_t rank, double) const override { return rank < depth() ? 1 : 0; }

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
