// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/job/training_job.h"

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
BRAID_API std::vector<BaselineComparison> compare_values(const std::string& measure,
                                                         const QueryValues& learned,
                                                         const std::vector<std::string>& names,
                                                         const std::vector<QueryValues>& baselines,
                                                         const BaselineOptions& options);

/// Compares with the previous weights (`anchor`, if not empty), uniform weights, then each ranker
/// alone, on job.options.measure and the queries of `learned`, which measure_queries returned for
/// `set`. `set` is prepared, and `anchor` holds the weights of its scores.
BRAID_API std::vector<BaselineComparison> compare_with_baselines(
    const TrainingJob& job, const TrainingSet& set, const std::vector<double>& anchor,
    const QueryValues& learned, const BaselineOptions& options, Executor& executor);

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

/// Learns on all parts but one and tests on that one, for each part of each split. Normalisers work
/// on one query at a time; scales come from the training parts. The baseline `uniform` has the
/// scales of the whole set, which don't depend on judgements. Throws as `train_model` and
/// `cross_validation_folds` do, naming the fold in which learning failed.
BRAID_API CrossValidation cross_validate(const TrainingJob& job, const TrainingSet& set,
                                         const TrainingSet* validation,
                                         const CrossValidationOptions& options, Executor& executor,
                                         const Progress& progress = {});

}  // namespace braid
