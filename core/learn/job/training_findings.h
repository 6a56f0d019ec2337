// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/pool/ranker_map.h"

namespace braid {

/// One way of ranking the measured queries.
struct MeasuredSystem {
    enum class Kind {
        kLearned,
        kBefore,   ///< The previous weights, if the job has any.
        kUniform,  ///< All weights the same.
        kSingle,   ///< One ranker alone.
        kFixed,    ///< The learner's fixed counterpart, for query-dependent weights.
        kOracle,   ///< Each query's own best weights: the ceiling.
    };

    Kind kind = Kind::kLearned;
    std::string name;  ///< "learned", "as before", "uniform", the ranker's, "wel", "oracle".
    std::vector<double> means;   ///< One a measure.
    std::vector<double> values;  ///< By the first measure, one a measured query.
    /// Mean interpolated precision at recall 0, .1, .. 1 over the same queries; only for the
    /// learned function, uniform weights, the best single ranker and the fixed counterpart.
    std::vector<double> precision = {};
    /// For the same systems, one for each of TrainingFindings::grade_pairs: the share of pairs of
    /// documents in the wrong order. Equal scores count one half.
    std::vector<double> pair_errors = {};
};

/// Two grades that occur together in a query's pool.
struct GradePair {
    Grade upper = 0;
    Grade lower = 0;
    double pairs = 0;  ///< Pairs of documents, over all measured queries.

    bool operator==(const GradePair&) const = default;
};

/// What a model loses of the measure, as means over queries, and bounds of that;
/// docs/algorithms/measure-bounds.md. For the exponential, the logistic and the hinge form.
struct LossBounds {
    static constexpr std::size_t kForms = 3;  ///< In the order of BoundForm.

    std::size_t queries = 0;
    double loss = 0;          ///< (1)
    double one[kForms] = {};  ///< (2)
    double two[kForms] = {};  ///< (3), F over pairs of unequal grades. Only in `enumerated`.
    double two_all_pairs[kForms] = {};
};

/// All models of two rankers, on the prepared queries of the findings.
struct TwoRankers {
    static constexpr std::size_t kDegrees = 2;

    /// Weights (a, 1 - a), a from 0 to 1.
    std::vector<double> first;
    std::vector<double> measure;
    std::vector<double> smooth;  ///< The smooth measure; empty for measures without one.

    /// Weights (cos, sin) from 0 degrees up, by kDegrees; means over the queries whose orders of
    /// classes can be listed; empty if there are none.
    std::vector<LossBounds> circle;
};

/// docs/algorithms/list-loss.md (14): ensemble = rankers - ambiguity - sum_term. For
/// query-dependent weights, means of each query's terms. Of weights as the learner had them
/// (TrainingResult::scale).
struct LossTerms {
    double ensemble = 0;
    double rankers = 0;
    double ambiguity = 0;
    double weight_sum = 0;
    double sum_term = 0;   ///< 0 if the weights sum to 1, and at the best scale of the scores.
    double diversity = 0;  ///< Estimate of the ambiguity, (8).
    std::size_t queries = 0;
};

/// Whether query-dependent weights gain anything over fixed ones by the same loss.
struct AdaptiveFindings {
    std::string fixed_learner;
    BaselineComparison gain;     ///< Gain of the learned function over the fixed one.
    std::size_t fits = 0;        ///< Number of fits: one a fold.
    std::size_t kept_fixed = 0;  ///< Fits in which the learner chose fixed weights.
    bool helps = false;          ///< Above the fixed ones, with p < 0.05, on held-out queries.
    std::vector<std::vector<double>> weights;  ///< One a measured query; empty: unweighted.

    /// Means of a query feature over queries where weights helped and where they harmed, in
    /// standard deviations from the mean of all measured queries.
    struct Feature {
        std::string name;
        double helped = 0;
        double harmed = 0;
    };
    std::vector<Feature> features;  ///< Empty if none helped, or none harmed.
};

/// Findings about a trained model.
struct TrainingFindings {
    /// Queries on which systems are measured: held-out ones, except for kTraining.
    enum class Part { kFolds, kTest, kTraining };

    Part part = Part::kTraining;
    std::vector<std::string> measures;    ///< Full names; the first was optimised.
    std::vector<std::string> queries;     ///< The measured ones. Empty without judgements.
    std::vector<std::size_t> documents;   ///< Size of each one's pool.
    std::vector<std::size_t> relevant;    ///< Relevant documents, in the pool or not.
    std::vector<MeasuredSystem> systems;  ///< The learned function first, then uniform weights.
    std::size_t best_single = 0;          ///< Its index in `systems`, by the measured queries.
    /// The learned function compared with uniform weights and each ranker.
    std::vector<BaselineComparison> baselines;
    std::optional<AdaptiveFindings> adaptive;

    /// Over the measured queries; empty if weights sum to 0 or scores are not weighted sums.
    std::optional<LossTerms> loss;
    std::optional<LossTerms> uniform_loss;

    std::vector<GradePair> grade_pairs;  ///< Best grades first.
    std::vector<double> unequal_pairs;   ///< By measured query: pairs of documents of two grades.

    /// For the learned function, on all queries, and on those few and small enough for type two
    /// bounds.
    std::optional<LossBounds> bounds;
    std::optional<LossBounds> enumerated;
    std::optional<TwoRankers> two_rankers;

    std::size_t depth = 10;           ///< Depth of the lists that distances compare.
    std::vector<std::string> mapped;  ///< The rankers, and last the learned function.
    std::vector<double> distances;    ///< mapped x mapped.
    RankerMap map;

    const MeasuredSystem* system(MeasuredSystem::Kind kind) const {
        for (const MeasuredSystem& one : systems) {
            if (one.kind == kind) return &one;
        }
        return nullptr;
    }
};

/// The results of training. Borrows all for the call.
struct FindingsInput {
    const TrainingJob& job;
    const TrainedModel& trained;  ///< From all of `train`.
    const TrainingSet& train;     ///< Raw, as the other sets.
    const TrainingSet* validation = nullptr;
    const TrainingSet* test = nullptr;
    const CrossValidation* folds = nullptr;  ///< Made with `folding`; not with `test`.
    const CrossValidationOptions& folding;
    const QueryOracle* oracle = nullptr;  ///< For `test`, else for `train`.
};

/// Compares the learned function with baselines that need no learning, on held-out queries if there
/// are any; decomposes the loss and maps the rankers. For query-dependent weights, also learns the
/// fixed counterpart, in the same folds. Throws as `cross_validate` does.
TrainingFindings find_out(const FindingsInput& input, Executor& executor,
                          const Progress& progress = {});

}  // namespace braid
