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

#include "braid/core/base/export.h"
#include "braid/core/base/registry.h"
#include "braid/core/eval/judgements.h"

namespace braid {

/// The grade of a ranked document that nobody judged.
inline constexpr Grade kUnjudged = std::numeric_limits<Grade>::min();

/// What the judgements of one query say, whatever was ranked.
struct BRAID_API JudgedPool {
    std::vector<Grade> grades;  ///< All judged documents' grades, highest first.

    /// Sorts `grades`.
    static JudgedPool of(std::vector<Grade> grades);
    static JudgedPool of(const QueryJudgements& judgements);

    /// Documents of `grade` and above; O(log n).
    std::size_t count_from(Grade grade) const;
    std::size_t size() const { return grades.size(); }
};

/// One query's ranking as a measure sees it: the grade at each rank, best first, kUnjudged where
/// there is none. Every judged document in it is one of the pool's. Borrows both; made per query,
/// never stored.
struct JudgedRanking {
    std::span<const Grade> grades;
    const JudgedPool& pool;
};

/// A measure of one ranking, in [0, 1], larger is better. Immutable; safe to share. Nothing here
/// allocates but `name`. docs/algorithms/measures.md has the formulas and every edge case.
class BRAID_API Measure {
  public:
    /// The depth of a measure that looks at the whole ranking.
    static constexpr std::size_t kWholeRanking = std::numeric_limits<std::size_t>::max();

    virtual ~Measure() = default;

    /// What the measure divides by and the judgements alone decide: the relevant documents there
    /// are, the ideal ranking's gain. 0 where no ranking can score. Who measures many rankings of
    /// one query computes it once.
    virtual double scale(const JudgedPool& pool) const = 0;

    /// `scale` is scale(ranking.pool).
    virtual double evaluate(const JudgedRanking& ranking, double scale) const = 0;
    double evaluate(const JudgedRanking& ranking) const {
        return evaluate(ranking, scale(ranking.pool));
    }

    /// Ranks below it don't matter: sorting the best `depth` documents is enough.
    virtual std::size_t depth() const = 0;

    /// As it is written: "ndcg@10", "map".
    virtual std::string name() const = 0;
};

/// Options that the name of a measure does not carry.
struct MeasureOptions {
    Grade relevant_from = 1;  ///< The least grade that counts as relevant (`--rel`); from 1 up.
    /// The top of the scale of grades, which `err` needs: 4 is gdeval's, Yahoo's and MSLR's. A
    /// grade above it counts as it. In 1 .. 30.
    Grade highest_grade = 4;
};

struct MeasureInfo {
    std::string name;     ///< Without a cut-off: "ndcg".
    std::string summary;  ///< One line, with the formula in words.
    enum class Cutoff { kNone, kOptional, kRequired };
    Cutoff cutoff = Cutoff::kNone;
    /// `cutoff` is 0 where none was given.
    std::function<std::unique_ptr<const Measure>(std::size_t cutoff, const MeasureOptions&)> make;
    /// Other names that make_measure takes for it: "ap".
    std::vector<std::string> also = {};
    /// trec_eval's names without and with a cut-off ("ndcg", "ndcg_cut"); "" is `name` itself.
    std::string trec_name = {};
    std::string trec_cut_name = {};
};

/// Every measure there is. A new one is a line in core/eval/measure_registry.cpp.
BRAID_API const Registry<MeasureInfo>& measures();

/// Makes the measure that `text` names: "map", "p@5", "ndcg@10"; upper case is the same, and so
/// are trec_eval's names ("P_5", "ndcg_cut_10"). Throws UnknownComponent, or InvalidArgument for
/// a cut-off that is missing, not allowed or not a number from 1 up, and for options out of range.
BRAID_API std::unique_ptr<const Measure> make_measure(std::string_view text,
                                                      const MeasureOptions& options = {});

/// What trec_eval calls a measure: "ndcg_cut_10" for "ndcg@10". A measure that it lacks gets a
/// name of the same form. Throws as make_measure.
BRAID_API std::string trec_eval_name(std::string_view text);

/// 2^grade - 1 for a grade from 0 up; 0 below. A grade over 60 counts as 60, so that sums of
/// gains stay finite.
inline double exponential_gain(Grade grade) {
    if (grade <= 0) return 0;
    return static_cast<double>((std::uint64_t{1} << std::min(grade, 60)) - 1);
}

/// What measures with an optional cut-off share. A cut-off of 0 stands for none.
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
