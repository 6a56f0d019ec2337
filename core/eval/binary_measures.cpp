// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <vector>

#include "braid/core/eval/measure.h"
#include "braid/core/eval/measures.h"

namespace braid {
namespace {

// A document is relevant or not. Unless a measure says otherwise it is scaled by the number of
// relevant documents.
class BinaryMeasure : public CutMeasure {
  public:
    BinaryMeasure(const char* name, std::size_t cutoff, const MeasureOptions& options)
        : CutMeasure(name, cutoff), relevant_from_(options.relevant_from) {}

    double scale(const JudgedPool& pool) const override {
        return static_cast<double>(relevant_in(pool));
    }

  protected:
    bool is_relevant(Grade grade) const { return grade >= relevant_from_; }
    std::size_t relevant_in(const JudgedPool& pool) const {
        return pool.count_from(relevant_from_);
    }

  private:
    Grade relevant_from_;
};

// The number of relevant documents at the first ranks, over the scale.
class RelevantShare : public BinaryMeasure {
  public:
    using BinaryMeasure::BinaryMeasure;

    double evaluate(const JudgedRanking& ranking, double scale) const final {
        if (scale == 0) return 0;
        std::size_t found = 0;
        for (const Grade grade : first(ranking, scale)) found += is_relevant(grade) ? 1 : 0;
        return static_cast<double>(found) / scale;
    }

    bool is_rank_sum() const final { return true; }
    double gain(Grade grade) const final { return is_relevant(grade) ? 1 : 0; }
    double discount(std::size_t rank, double) const override { return rank < depth() ? 1 : 0; }

  protected:
    virtual std::span<const Grade> first(const JudgedRanking& ranking, double) const {
        return top(ranking);
    }
};

class Precision final : public RelevantShare {
  public:
    using RelevantShare::RelevantShare;

    double scale(const JudgedPool& pool) const override {
        return relevant_in(pool) == 0 ? 0 : static_cast<double>(depth());
    }
};

class RPrecision final : public RelevantShare {
  public:
    using RelevantShare::RelevantShare;

    double discount(std::size_t rank, double scale) const override {
        return static_cast<double>(rank) < scale ? 1 : 0;
    }

  private:
    std::span<const Grade> first(const JudgedRanking& ranking, double scale) const override {
        return ranking.grades.first(
            std::min(static_cast<std::size_t>(scale), ranking.grades.size()));
    }
};

// Recall divides by the relevant documents there are, recall-min by those that fit above the
// cut-off: the two differ in nothing else.
class RecallMin final : public RelevantShare {
  public:
    using RelevantShare::RelevantShare;

    double scale(const JudgedPool& pool) const override {
        return static_cast<double>(std::min(relevant_in(pool), depth()));
    }
};

}  // namespace

std::unique_ptr<const Measure> make_precision(std::size_t cutoff, const MeasureOptions& options) {
    return std::make_unique<Precision>("p", cutoff, options);
}

std::unique_ptr<const Measure> make_r_precision(std::size_t, const MeasureOptions& options) {
    return std::make_unique<RPrecision>("rprec", 0, options);
}

std::unique_ptr<const Measure> make_recall(std::size_t cutoff, const MeasureOptions& options) {
    return std::make_unique<RelevantShare>("recall", cutoff, options);
}

std::unique_ptr<const Measure> make_recall_min(std::size_t cutoff, const MeasureOptions& options) {
    return std::make_unique<RecallMin>("recall-min", cutoff, options);
}

namespace {

// The place of the first relevant document decides: its reciprocal rank, or that there is one.
class FirstHit final : public BinaryMeasure {
  public:
    FirstHit(const char* name, bool reciprocal, std::size_t cutoff, const MeasureOptions& options)
        : BinaryMeasure(name, cutoff, options), reciprocal_(reciprocal) {}

    double scale(const JudgedPool& pool) const override { return relevant_in(pool) == 0 ? 0 : 1; }

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        const std::span<const Grade> grades = top(ranking);
        for (std::size_t i = 0; i < grades.size(); ++i) {
            if (is_relevant(grades[i])) return reciprocal_ ? ratio(1, i + 1) : 1;
        }
        return 0;
    }

  private:
    bool reciprocal_;
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

namespace {

class AveragePrecision final : public BinaryMeasure {
  public:
    using BinaryMeasure::BinaryMeasure;

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        const std::span<const Grade> grades = top(ranking);
        const auto relevant = static_cast<std::size_t>(scale);
        std::size_t found = 0;
        double sum = 0;
        for (std::size_t i = 0; i < grades.size() && found < relevant; ++i) {
            if (is_relevant(grades[i])) sum += ratio(++found, i + 1);
        }
        return sum / scale;
    }

    bool is_average_precision() const override { return true; }
};

}  // namespace

std::unique_ptr<const Measure> make_average_precision(std::size_t cutoff,
                                                      const MeasureOptions& options) {
    return std::make_unique<AveragePrecision>("map", cutoff, options);
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

class BinaryPreference final : public BinaryMeasure {
  public:
    using BinaryMeasure::BinaryMeasure;

    double evaluate(const JudgedRanking& ranking, double scale) const override {
        if (scale == 0) return 0;
        const auto relevant = static_cast<std::size_t>(scale);
        // As in trec_eval a negative grade is that of a document in the pool that was not judged.
        const std::size_t others = std::min(ranking.pool.count_from(0) - relevant, relevant);
        std::size_t above = 0;
        std::size_t found = 0;
        double sum = 0;
        for (const Grade grade : ranking.grades) {
            if (is_relevant(grade)) {
                sum += above == 0 ? 1 : 1 - ratio(std::min(above, others), others);
                if (++found == relevant) break;
            } else if (grade >= 0) {
                ++above;
            }
        }
        return sum / scale;
    }
};

}  // namespace

std::unique_ptr<const Measure> make_bpref(std::size_t, const MeasureOptions& options) {
    return std::make_unique<BinaryPreference>("bpref", 0, options);
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
