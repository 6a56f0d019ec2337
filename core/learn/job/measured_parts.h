// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// How findings are measured.

#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "braid/core/learn/job/training_findings.h"

namespace braid {

/// Prepared sets, each with a function not learned from it: the tested parts of folds, or one test
/// file. A query in several parts has their mean.
class MeasuredParts {
  public:
    /// `queries`: their total number.
    MeasuredParts(const TrainingJob& job, std::size_t queries, Executor& executor)
        : job_(job), count_(queries), executor_(executor) {}

    /// The tested parts of folds of `set`, or all of `set` with the learned function.
    static MeasuredParts of_folds(const TrainingJob& job, const TrainingSet& set,
                                  const CrossValidation& folds, Executor& executor);
    static MeasuredParts of_set(const TrainingJob& job, const TrainingSet& set,
                                const TrainedModel& trained, Executor& executor);

    /// `places` are the indexes of the set's queries among all.
    void add(TrainingSet set, std::vector<std::size_t> places, const RankingFunction& function) {
        parts_.push_back({std::move(set), std::move(places), function});
    }

    QueryValues values(const std::string& measure) const;

    /// 11 points, over `queries`, ascending.
    std::vector<double> precision(const std::vector<std::size_t>& queries) const;

    /// The share of wrong orders of each of `pairs`, over `queries`, ascending.
    std::vector<double> pair_errors(const std::vector<std::size_t>& queries,
                                    const std::vector<GradePair>& pairs) const;

    /// The weights of each of `queries` in the last part that has it; empty if it has none.
    std::vector<std::vector<double>> weights(const std::vector<std::size_t>& queries) const;

    std::size_t size() const { return parts_.size(); }
    std::size_t linear() const;  ///< Parts whose function has the same weights for all queries.

  private:
    struct Part {
        TrainingSet set;
        std::vector<std::size_t> places;
        RankingFunction function;
    };

    const TrainingJob& job_;
    std::size_t count_;
    Executor& executor_;
    std::list<Part> parts_;
};

/// One system: means by all reported measures, values, and `precision` if asked for.
MeasuredSystem measured_system(MeasuredSystem::Kind kind, const std::string& name,
                               const TrainingJob& job, const MeasuredParts& parts,
                               const std::vector<std::size_t>& queries, bool has_precision,
                               const std::vector<GradePair>& pairs);

/// The pairs of grades in the pools of `queries`; grades as learners see them.
std::vector<GradePair> grade_pairs(const TrainingSet& set, const std::vector<std::size_t>& queries);

/// Pairs of documents of unequal grade in one query's pool.
double unequal_pairs(const TrainingSet& set, std::size_t query);

/// Bounds of the learned function's loss, and all models where there are two rankers. `set` is
/// prepared.
void find_bounds(const FindingsInput& input, const TrainingSet& set, TrainingFindings& findings,
                 Executor& executor);

/// Learns the fixed counterpart on the same parts and adds it to `findings`, whose first system is
/// the learned function. `queries` are the measured ones, from the prepared set `whole`.
void find_adaptive(const FindingsInput& input, const MeasuredParts& learned,
                   const std::vector<std::size_t>& queries, const TrainingSet& whole,
                   TrainingFindings& findings, Executor& executor, const Progress& progress);

}  // namespace braid
