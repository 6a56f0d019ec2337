// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/evaluate.h"
#include "braid/judgements.h"

namespace braid {

/// The grades of one query's judgements, independent of any ranking.
struct BRAID_API JudgedPool {
    std::vector<Grade> grades;  ///< Grades of all judged documents, highest first.

    /// Sorts `grades`.
    static JudgedPool of(std::vector<Grade> grades);
    static JudgedPool of(const QueryJudgements& judgements);

    /// Number of documents of `grade` and above; O(log n).
    std::size_t count_from(Grade grade) const;
    std::size_t size() const { return grades.size(); }
};

/// One query's ranking, prepared for a measure: the grade at each rank, best first; kUnjudged for
/// an unjudged document. The pool contains every judged document in it. Borrows both; made per
/// query, never stored.
struct JudgedRanking {
    std::span<const Grade> grades;
    const JudgedPool& pool;
};

/// A measure of one ranking, in [0, 1]; larger is better. Immutable; safe to share. Only `name`
/// allocates. docs/algorithms/measures.md has the formulas and every edge case.
class Measure {
  public:
    /// The depth of a measure that reads the whole ranking.
    static constexpr std::size_t kWholeRanking = std::numeric_limits<std::size_t>::max();

    virtual ~Measure() = default;

    /// The divisor that depends only on the judgements: the number of relevant documents, the ideal
    /// ranking's gain. 0 if no ranking can score. Compute it once to measure many rankings of one
    /// query.
    virtual double scale(const JudgedPool& pool) const = 0;

    /// `scale` is scale(ranking.pool).
    virtual double evaluate(const JudgedRanking& ranking, double scale) const = 0;
    double evaluate(const JudgedRanking& ranking) const {
        return evaluate(ranking, scale(ranking.pool));
    }

    /// Ranks below it are ignored: sorting the best `depth` documents is enough.
    virtual std::size_t depth() const = 0;

    /// The full name: "ndcg@10", "map".
    virtual std::string name() const = 0;

    /// Whether it is a sum over ranks of gain(grade there) x discount(rank), divided by its scale;
    /// ranks from 0. Of these two a measure of another kind has none. ndcg-letor@k is one for lists
    /// of k documents and more.
    virtual bool is_rank_sum() const { return false; }
    virtual double gain(Grade) const { return 0; }
    virtual double discount(std::size_t, double /*scale*/) const { return 0; }

    /// Whether it is the mean of the precisions at relevant documents.
    virtual bool is_average_precision() const { return false; }
};

struct MeasureInfo {
    std::string name;     ///< Without a cut-off: "ndcg".
    std::string summary;  ///< One line, with the formula in words.
    enum class Cutoff { kNone, kOptional, kRequired };
    Cutoff cutoff = Cutoff::kNone;
    /// `cutoff` is 0 if none was given.
    std::function<std::unique_ptr<const Measure>(std::size_t cutoff, const MeasureOptions&)> make;
    /// Other names that make_measure accepts: "ap".
    std::vector<std::string> also = {};
    /// trec_eval's names without and with a cut-off ("ndcg", "ndcg_cut"); "" is `name` itself.
    std::string trec_name = {};
    std::string trec_cut_name = {};
};

/// All measures. A new one is a line in core/eval/measure_registry.cpp.
const Registry<MeasureInfo>& measures();

/// Makes the measure that `text` names: "map", "p@5", "ndcg@10"; also accepts upper case and
/// trec_eval's names ("P_5", "ndcg_cut_10"). Throws UnknownComponent, or InvalidArgument for a
/// cut-off that is missing, not allowed or not a number >= 1, and for options out of range.
BRAID_API std::unique_ptr<const Measure> make_measure(std::string_view text,
                                                      const MeasureOptions& options = {});

/// trec_eval's name for a measure: "ndcg_cut_10" for "ndcg@10". A measure that trec_eval lacks gets
/// a name of the same form. Throws as make_measure.
std::string trec_eval_name(std::string_view text);

/// 2^grade - 1 for a grade >= 0; 0 below. A grade over 60 counts as 60, so sums of gains stay
/// finite.
inline double exponential_gain(Grade grade) {
    if (grade <= 0) return 0;
    return static_cast<double>((std::uint64_t{1} << std::min(grade, 60)) - 1);
}

/// Shared by measures with an optional cut-off. A cut-off of 0 means none.
class CutMeasure : public Measure {
  public:
    CutMeasure(std::string base_name, std::size_t cutoff)
        : base_name_(std::move(base_name)), cutoff_(cutoff) {}

    std::size_t depth() const final { return cutoff_ == 0 ? kWholeRanking : cutoff_; }
    std::string name() const final {
        return cutoff_ == 0 ? base_name_ : base_name_ + "@" + std::to_string(cutoff_);
    }

  protected:
    std::span<const Grade> top(const JudgedRanking& ranking) const {
        return ranking.grades.first(std::min(depth(), ranking.grades.size()));
    }

  private:
    std::string base_name_;
    std::size_t cutoff_;
};

inline double ratio(std::size_t numerator, std::size_t denominator) {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
}

}  // namespace braid
