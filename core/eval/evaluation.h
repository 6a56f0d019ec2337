// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/core/eval/measure.h"
#include "braid/evaluate.h"
#include "braid/judgements.h"
#include "braid/run.h"

namespace braid {

/// The pool of each judged query, in the order of `judgements.queries()`: made once and shared by
/// all runs. Borrows the judgements.
class JudgedPools {
  public:
    explicit JudgedPools(const Judgements& judgements);

    const Judgements& judgements() const { return judgements_; }
    std::size_t size() const { return pools_.size(); }
    const JudgedPool& operator[](std::size_t query) const { return pools_[query]; }

  private:
    const Judgements& judgements_;
    std::vector<JudgedPool> pools_;
};

/// A run, prepared for measures: for each judged query the grades in ranked order. Documents are
/// ordered as by rank_documents. A document that is twice in a query's list counts once, at its
/// better rank. Skips queries without judgements. Borrows the pools.
class JudgedRun {
  public:
    /// Costs a hash of each name and a sort of each list whose scores are not in order.
    JudgedRun(const JudgedPools& pools, const Run& run, const RankingOptions& options = {});

    const std::string& name() const { return name_; }
    const JudgedPools& pools() const { return *pools_; }

    /// One for each judged query, in the judgements' order.
    std::size_t size() const { return lists_.size(); }
    bool contains(std::size_t query) const { return lists_[query].in_run; }
    JudgedRanking ranking(std::size_t query) const {
        const List& list = lists_[query];
        return {std::span(grades_).subspan(list.first, list.count), (*pools_)[query]};
    }

    /// Skipped data and probable mistakes.
    struct Oddities {
        std::size_t queries = 0;           ///< In the run, judged or not.
        std::size_t unjudged_queries = 0;  ///< In the run but not in the judgements.
        std::size_t empty_lists = 0;       ///< Judged queries with an empty list.
        std::size_t duplicates = 0;        ///< Repeated documents in a query's list.
        std::size_t not_numbers = 0;       ///< Scores that are NaN; they rank last.
        std::string first_duplicate;       ///< "document D of query Q", for the message.
    };
    const Oddities& oddities() const { return oddities_; }

  private:
    struct List {
        std::size_t first = 0;
        std::size_t count = 0;
        bool in_run = false;
    };

    std::string name_;
    const JudgedPools* pools_;
    std::vector<List> lists_;
    std::vector<Grade> grades_;
    Oddities oddities_;
};

/// Evaluates every judged query that the options don't skip. Throws as make_measure.
Evaluation evaluate(const JudgedRun& run, const std::vector<std::string>& measures,
                    const EvaluationOptions& options = {});

/// The mean over evaluated queries of the interpolated precision at recall 0, 1/(n-1), .., 1,
/// where n = `points` >= 2: the highest precision at any rank with at least that recall.
std::vector<double> precision_recall_curve(const JudgedRun& run, const EvaluationOptions& options,
                                           std::size_t points);

}  // namespace braid
