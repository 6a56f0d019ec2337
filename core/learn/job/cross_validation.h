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

/// What was learned against something that needs no learning, on one measure and the same queries.
struct BaselineComparison {
    std::string name;                  ///< "as before", "uniform", or the ranker's name.
    double mean = 0;                   ///< The baseline's.
    double difference = 0;             ///< Learned minus baseline.
    ConfidenceInterval interval = {};  ///< 95 % of the difference.
    std::size_t better = 0;            ///< Queries on which the learned one is above the baseline.
    std::size_t worse = 0;
    double p = 1;
    double p_adjusted = 1;  ///< Holm-corrected over all baselines.
};

struct BaselineOptions {
    std::string test = "t";  ///< A name from paired_tests().
    std::uint64_t seed = kDefaultSeed;
};

/// Each of `baselines`, called `names`, on queries it shares with `learned`.
BRAID_API std::vector<BaselineComparison> compare_values(const std::string& measure,
                                                         const QueryValues& learned,
                                                         const std::vector<std::string>& names,
                                                         const std::vector<QueryValues>& baselines,
                                                         const BaselineOptions& options);

/// The weights as they were (`anchor`, if that isn't empty), uniform weights, then each ranker
/// alone, on job.options.measure and the queries of `learned`, which measure_queries gave for
/// `set`. `set` is prepared, and `anchor` the weights of its scores.
BRAID_API std::vector<BaselineComparison> compare_with_baselines(
    const TrainingJob& job, const TrainingSet& set, const std::vector<double>& anchor,
    const QueryValues& learned, const BaselineOptions& options, Executor& executor);

struct CrossValidationOptions {
    std::size_t folds = 5;
    std::vector<std::uint64_t> seeds = {kDefaultSeed};  ///< One split into folds each.
    BaselineOptions baselines = {};
};

/// One fold of one split.
struct FoldResult {
    std::uint64_t seed = 0;
    std::size_t fold = 0;
    std::size_t train_queries = 0;
    std::size_t test_queries = 0;
    double train = 0;  ///< Mean of the measure over the queries learned from.
    double test = 0;   ///< And over the others.
    std::size_t iterations = 0;
    std::string stop_reason = {};
    std::vector<std::size_t> queries = {};  ///< The tested ones: places in the set, ascending.
    RankingFunction function = {};          ///< Of scores that `preparation` made.
    Preparation preparation = {};
    std::string objective_name = {};
    std::vector<CurvePoint> curve = {};  ///< Followed on both parts where the job says so.
};

struct CrossValidation {
    std::vector<FoldResult> folds;
    /// Of every query while it was in the part that was tested, the mean over splits.
    QueryValues values;
    std::map<std::string, double> measures;  ///< Means over queries and splits.
    std::vector<BaselineComparison> baselines;
};

/// Learns on all parts but one and tests on that one, for each part of each split. Normalisers see
/// a query at a time; scales come from the training parts. `uniform` among the baselines has the
/// scales of the whole set, which know no judgements. Throws as `train_model` and
/// `cross_validation_folds` do, naming the fold where learning fails.
BRAID_API CrossValidation cross_validate(const TrainingJob& job, const TrainingSet& set,
                                         const TrainingSet* validation,
                                         const CrossValidationOptions& options, Executor& executor,
                                         const Progress& progress = {});

}  // namespace braid
