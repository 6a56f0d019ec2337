// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "braid/core/eval/summary.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/error.h"

namespace braid {

/// The learned function compared with a baseline that needs no learning, on one measure and the
/// same queries.
struct BaselineComparison {
    std::string name;                  ///< "as before", "uniform", or the ranker's name.
    double mean = 0;                   ///< The baseline's.
    double difference = 0;             ///< Learned minus baseline.
    ConfidenceInterval interval = {};  ///< 95 % interval of the difference.
    std::size_t better = 0;  ///< Queries on which the learned function is above the baseline.
    std::size_t worse = 0;
    double p = 1;
    double p_adjusted = 1;  ///< Holm-corrected over all baselines.
};

struct BaselineOptions {
    std::string test = "t";  ///< A name from paired_tests().
    std::uint64_t seed = kDefaultSeed;
};

/// Compares each of `baselines`, named `names`, with `learned` on the queries they share.
std::vector<BaselineComparison> compare_values(const std::string& measure,
                                               const QueryValues& learned,
                                               const std::vector<std::string>& names,
                                               const std::vector<QueryValues>& baselines,
                                               const BaselineOptions& options);

/// Compares with the previous weights (`anchor`, if not empty), uniform weights, then each ranker
/// alone, on job.options.measure and the queries of `learned`, which measure_queries returned for
/// `set`. `set` is prepared, and `anchor` holds the weights of its scores.
std::vector<BaselineComparison> compare_with_baselines(
    const TrainingJob& job, const TrainingSet& set, const std::vector<double>& anchor,
    const QueryValues& learned, const BaselineOptions& options, Executor& executor);

/// A ranking that no training query changed, by query of a set.
struct ReferenceRanking {
    std::string name;
    std::vector<double> values;  ///< Of options.measure, by query; 0 for one that doesn't count.
};

/// The rankings that a learned one has to beat: those that a user has without learning.
struct References {
    std::vector<ReferenceRanking> fixed;  ///< The database's own, if it has one, and BM25.
    /// BM25 with other k1 and b, of which training queries choose the best ("bm25 tuned").
    std::vector<ReferenceRanking> variants;
};

inline constexpr char kCurrentRanking[] = "current ranking";

/// p below which a gain counts as one.
inline constexpr double kInstallLevel = 0.1;

/// A learned ranking beside those of References, on queries that it wasn't learned from and of
/// which no choice was made.
struct ReferenceComparison {
    std::vector<BaselineComparison> rankings;  ///< Empty: none were measured.
    std::size_t best = 0;                      ///< The greatest mean of `rankings`.
    std::size_t queries = 0;
    bool better = false;  ///< Gains over the best, with p below kInstallLevel.
    /// docs/algorithms/significance.md (10): judged queries that would show the gain found, if
    /// there is one; and the gain that `queries` would show. At this spread, with 80 % power.
    std::size_t queries_needed = 0;
    double detectable = 0;
};

struct CrossValidationOptions {
    std::size_t folds = 5;
    std::vector<std::uint64_t> seeds = {kDefaultSeed};  ///< One split into folds a seed.
    BaselineOptions baselines = {};
};

/// One fold of one split.
struct FoldResult {
    std::uint64_t seed = 0;
    std::size_t fold = 0;
    std::size_t train_queries = 0;
    std::size_t test_queries = 0;
    double train = 0;  ///< Mean of the measure over the training queries.
    double test = 0;   ///< Mean over the tested queries.
    std::size_t iterations = 0;
    std::string stop_reason = {};
    std::vector<std::size_t> queries = {};  ///< The tested ones: indexes into the set, ascending.
    RankingFunction function = {};          ///< Applies to scores after `preparation`.
    Preparation preparation = {};
    std::string objective_name = {};
    std::vector<CurvePoint> curve = {};  ///< Measured on both parts if the job asks for it.
};

struct CrossValidation {
    std::vector<FoldResult> folds;
    /// Each query's value when it was tested, averaged over splits.
    QueryValues values;
    std::map<std::string, double> measures;  ///< Means over queries and splits.
    std::vector<BaselineComparison> baselines;
};

/// Compares what each fold learned with `references`, by query of the whole set; each fold's
/// training queries choose among the variants.
ReferenceComparison compare_with_references(const TrainingJob& job, const References& references,
                                            const CrossValidation& folds,
                                            const BaselineOptions& options);

/// The same on a test set, whose values are `tested`; the values of the training set's queries,
/// `trained`, choose.
ReferenceComparison compare_with_references(const TrainingJob& job, const References& trained,
                                            const References& tested, const QueryValues& learned,
                                            const BaselineOptions& options);

/// Learns on all parts but one and tests on that one, for each part of each split. Normalisers work
/// on one query at a time; scales come from the training parts. The baseline `uniform` has the
/// scales of the whole set, which don't depend on judgements. Throws as `train_model` and
/// `cross_validation_folds` do, naming the fold in which learning failed.
CrossValidation cross_validate(const TrainingJob& job, const TrainingSet& set,
                               const TrainingSet* validation, const CrossValidationOptions& options,
                               Executor& executor, const Progress& progress = {});

}  // namespace braid
