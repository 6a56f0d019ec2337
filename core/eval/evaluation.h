// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/random.h"
#include "braid/core/eval/judged_run.h"
#include "braid/core/eval/measure.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/eval/summary.h"

namespace braid {

/// How a judged query that the run lacks is counted.
enum class MissingQueries {
    kZero,  ///< As 0 for every measure: an empty result is a result.
    kSkip,  ///< Not at all, as in trec_eval without -c.
};

struct EvaluationOptions {
    MeasureOptions measure = {};
    MissingQueries missing = MissingQueries::kZero;
    /// Skips queries without a relevant document; otherwise they count 0, as in trec_eval.
    bool skip_empty = false;
};

/// Counts of one query's list, or of all.
struct RetrievalCounts {
    std::size_t retrieved = 0;
    std::size_t relevant = 0;  ///< Relevant documents, retrieved or not.
    std::size_t relevant_retrieved = 0;
    std::size_t unjudged = 0;  ///< Retrieved, but not judged.

    BRAID_API RetrievalCounts& operator+=(const RetrievalCounts& other);
};

/// The values of some measures for one run, for each evaluated query.
struct BRAID_API Evaluation {
    std::string run;
    std::vector<std::string> measures;  ///< Full names, as asked for.
    std::vector<std::size_t> queries;   ///< Evaluated ones: indexes into the pools, ascending.
    std::vector<std::vector<double>> values;  ///< [measure][index into `queries`]
    std::vector<RetrievalCounts> counts;      ///< [index into `queries`]

    std::size_t judged_queries = 0;
    std::size_t missing_queries = 0;  ///< Judged, but not in the run; in the means or not.
    std::size_t empty_queries = 0;    ///< Judged, but without a relevant document; likewise.

    /// 0 if no query was evaluated.
    double mean(std::size_t measure) const;
    RetrievalCounts total() const;
};

/// Evaluates every judged query that the options don't skip. Throws as make_measure.
BRAID_API Evaluation evaluate(const JudgedRun& run, const std::vector<std::string>& measures,
                              const EvaluationOptions& options = {});

/// The mean over evaluated queries of the interpolated precision at recall 0, 1/(n-1), .., 1,
/// where n = `points` >= 2: the highest precision at any rank with at least that recall.
BRAID_API std::vector<double> precision_recall_curve(const JudgedRun& run,
                                                     const EvaluationOptions& options,
                                                     std::size_t points);

/// How one run differs from a baseline on one measure, over the queries evaluated in both.
struct Comparison {
    std::vector<std::size_t> queries;  ///< Indexes into the pools, ascending.
    std::vector<double> differences;   ///< Run minus baseline, for each of `queries`.
    double mean_difference = 0;
    ConfidenceInterval interval;  ///< 95 % interval of the mean difference.
    double effect = 0;            ///< Cohen's d of the differences.
    std::size_t better = 0;       ///< Queries where the run is above the baseline.
    std::size_t worse = 0;
    PairedTestResult test;
    double p_adjusted = 1;  ///< Holm-corrected over all runs compared on this measure.
};

struct ComparisonOptions {
    std::string test = "t";  ///< A name from paired_tests().
    std::uint64_t seed = kDefaultSeed;
};

/// Compares each of `runs` with `baseline` on measure number `measure`, which must be the same in
/// all. Differences below 1e-12 come from rounding and count as 0. Corrects over all runs on this
/// one measure. Throws UnknownComponent for an unknown test.
BRAID_API std::vector<Comparison> compare_runs(const Evaluation& baseline,
                                               std::span<const Evaluation> runs,
                                               std::size_t measure,
                                               const ComparisonOptions& options = {});

}  // namespace braid
