// SPDX-License-Identifier: GPL-2.0-or-later
// Two runs against the same judgements, and whether they differ:
//
//     #include <iostream>
//     #include "braid/read.h"
//
//     const braid::Judgements judgements = braid::read_judgements("qrels");
//     const auto measured = [&](const std::string& path) {
//         return braid::evaluate(braid::read_run(path), judgements, {"map", "ndcg@10"});
//     };
//     const braid::Evaluation baseline = measured("bm25.run");
//     const std::vector<braid::Evaluation> others = {measured("fused.run")};
//     std::cout << others[0].mean(0) - baseline.mean(0) << ", p "
//               << braid::compare_runs(baseline, others, 0)[0].p_adjusted << '\n';
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/judgements.h"
#include "braid/parameters.h"
#include "braid/run.h"

namespace braid {

/// Options that are not part of a measure's name.
struct MeasureOptions {
    Grade relevant_from = 1;  ///< The lowest relevant grade (`--rel`); >= 1.
    /// The highest grade of the scale, for `err`: 4 for gdeval, Yahoo and MSLR. Higher grades count
    /// as this one. In 1 .. 30.
    Grade highest_grade = 4;
};

/// How rankings are made from a run.
struct RankingOptions {
    /// Rounds scores to single precision before ordering, as trec_eval did up to version 9; this
    /// makes more ties.
    bool float_scores = false;
};

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

/// Evaluates every judged query that the options don't leave out, as trec_eval does: documents in
/// the order of rank_documents, one that a list has twice at its better place. `measures` are
/// names such as "map", "ndcg@10", "p@5" or trec_eval's. Throws UnknownComponent for a measure
/// there isn't, InvalidArgument for a cut-off that it can't have and options out of range.
BRAID_API Evaluation evaluate(const Run& run, const Judgements& judgements,
                              const std::vector<std::string>& measures,
                              const EvaluationOptions& options = {},
                              const RankingOptions& ranking = {});

/// An interval that holds the true value with a stated confidence.
struct ConfidenceInterval {
    double low = 0;
    double high = 0;
};

struct PairedTestResult {
    double p = 1;           ///< Probability of differences at least this large without an effect.
    double statistic = 0;   ///< t; the sum of positive ranks; the mean difference.
    std::size_t count = 0;  ///< Number of differences used.
    bool exact = false;     ///< From the whole distribution; no approximation or sample.
};

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
    std::string test = "t";  ///< Or "wilcoxon", "randomisation".
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
