// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "braid/core/eval/measure.h"
#include "braid/core/model/ranking_function.h"
#include "braid/error.h"
#include "braid/progress.h"
#include "braid/training_set.h"

namespace braid {

/// Queries that one task measures; sums are added task by task, so that they don't depend on the
/// number of threads.
inline constexpr std::size_t kQueriesPerChunk = 16;

/// A measure of rankings on one training set; everything that depends only on judgements is
/// computed once. Documents are ordered by score, ties as in trec_eval: the greater name first, or
/// without names the earlier row. The mean is over the queries on which some ranking can score
/// (Measure::scale is not 0). Borrows the set. Reading is safe from several threads.
class TrainingMeasure {
  public:
    /// Throws as make_measure does.
    BRAID_API TrainingMeasure(const TrainingSet& set, const std::string& measure,
                              const MeasureOptions& options = {});

    const TrainingSet& set() const { return set_; }
    const Measure& measure() const { return *measure_; }
    Grade relevant_from() const { return relevant_from_; }

    /// The queries in the mean, ascending.
    const std::vector<std::size_t>& queries() const { return queries_; }
    bool counts(std::size_t query) const { return scales_[query] != 0; }
    const JudgedPool& pool(std::size_t query) const { return pools_[query]; }
    double scale(std::size_t query) const { return scales_[query]; }

    /// One number a row; of two documents with equal scores, the one of the smaller number comes
    /// first.
    std::span<const std::uint32_t> tie_order(std::size_t query) const;

    /// The documents whose ranks decide the measure, ascending: those of any grade but the
    /// commonest, and for plain average precision the relevant ones.
    std::span<const std::uint32_t> tracked(std::size_t query) const;
    /// The grade of all other documents.
    Grade background(std::size_t query) const { return backgrounds_[query]; }
    /// Whether the measure is average precision without a cut-off.
    bool is_plain_map() const { return is_plain_map_; }

    /// One query's value for a ranking by `scores`, one a document of its pool. O(n log P) for P
    /// tracked documents of n, or O(n) if a cut-off leaves little to sort.
    double of_scores(std::size_t query, std::span<const double> scores) const;
    /// The grades in ranked order; correct up to rank `depth`.
    std::vector<Grade> ranked_grades(std::size_t query, std::span<const double> scores,
                                     std::size_t depth = Measure::kWholeRanking) const;
    BRAID_API double of_query(std::size_t query, const RankingFunction& function) const;
    BRAID_API double of_query(std::size_t query, const PreparedFunction& function) const;

    /// The mean; 0 if `queries()` is empty. The same bits at any number of threads.
    double mean(const RankingFunction& function, Executor& executor) const;
    double mean(const RankingFunction& function) const;

    /// The values of all `queries()`, in that order.
    std::vector<double> values(const RankingFunction& function, Executor& executor) const;

  private:
    void track(std::size_t query);
    double by_places(std::size_t query, std::span<const double> scores) const;
    double by_sorting(std::size_t query, std::span<const double> scores) const;

    const TrainingSet& set_;
    std::unique_ptr<const Measure> measure_;
    Grade relevant_from_;
    std::vector<JudgedPool> pools_;
    std::vector<double> scales_;
    std::vector<std::size_t> queries_;
    std::vector<std::uint32_t> tie_order_;
    bool is_plain_map_;
    std::vector<Grade> backgrounds_;
    std::vector<std::uint32_t> tracked_;  // All queries' documents, query by query.
    std::vector<std::size_t> tracked_begin_ = {0};
};

}  // namespace braid
