// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/methods/coordinate.h"
#include "braid/core/pool/ranker_map.h"

namespace braid {

/// One way of ranking the measured queries.
struct MeasuredSystem {
    enum class Kind {
        kLearned,
        kBefore,   ///< The weights as they were before learning, where the job names any.
        kUniform,  ///< All weights the same.
        kSingle,   ///< One ranker alone.
        kFixed,    ///< By the learner's fixed counterpart, where weights depend on the query.
        kOracle,   ///< Each query's own best weights: the ceiling.
    };

    Kind kind = Kind::kLearned;
    std::string name;  ///< "learned", "as before", "uniform", the ranker's, "wel", "oracle".
    std::vector<double> means;   ///< One a measure.
    std::vector<double> values;  ///< Of the first measure, one a measured query.
    /// Mean interpolated precision at recall 0, .1, .. 1 over the same queries; only of the
    /// learned function, uniform weights, the best single ranker and the fixed counterpart.
    std::vector<double> precision = {};
};

/// docs/algorithms/list-loss.md (14): ensemble = rankers - ambiguity - sum_term. Where weights
/// depend on the query, means of each query's own terms.
struct LossTerms {
    double ensemble = 0;
    double rankers = 0;
    double ambiguity = 0;
    double sum_term = 0;   ///< 0 where the weights sum to 1.
    double diversity = 0;  ///< The estimate of the ambiguity, (8).
    std::size_t queries = 0;
};

/// Whether weights that depend on the query gain anything over fixed ones by the same loss.
struct AdaptiveFindings {
    std::string fixed_learner;
    BaselineComparison gain;     ///< Of the learned function over the fixed one.
    std::size_t fits = 0;        ///< How often it was learned: once for each fold.
    std::size_t kept_fixed = 0;  ///< How often the learner itself came back to fixed weights.
    bool helps = false;  ///< Above the fixed ones, with p < 0.05, on queries not learned from.
    std::vector<std::vector<double>> weights;  ///< A measured query's; empty where not weighed.

    /// A query feature where weights helped and where they harmed: means in standard deviations
    /// from the mean of all measured queries.
    struct Feature {
        std::string name;
        double helped = 0;
        double harmed = 0;
    };
    std::vector<Feature> features;  ///< Empty where none helped, or none harmed.
};

/// What there is to say about a trained model beyond its numbers.
struct TrainingFindings {
    /// Where systems are measured: on queries that weren't learned from, but for kTraining.
    enum class Part { kFolds, kTest, kTraining };

    Part part = Part::kTraining;
    std::vector<std::string> measures;    ///< Full names; the first was the aim.
    std::vector<std::string> queries;     ///< The measured ones. Empty without judgements.
    std::vector<std::size_t> documents;   ///< Of each one's pool.
    std::vector<std::size_t> relevant;    ///< That there are, in the pool or out of it.
    std::vector<MeasuredSystem> systems;  ///< The learned function first, then uniform weights.
    std::size_t best_single = 0;          ///< Its place in `systems`, by these very queries.
    /// Of the learned function against uniform weights and each ranker.
    std::vector<BaselineComparison> baselines;
    std::optional<AdaptiveFindings> adaptive;

    /// Of the measured queries; none where weights sum to 0 or scores are no weighted sums.
    std::optional<LossTerms> loss;
    std::optional<LossTerms> uniform_loss;

    std::size_t depth = 10;           ///< Of the lists that distances compare.
    std::vector<std::string> mapped;  ///< The rankers, and last what was learned of them.
    std::vector<double> distances;    ///< mapped x mapped.
    RankerMap map;

    const MeasuredSystem* system(MeasuredSystem::Kind kind) const {
        for (const MeasuredSystem& one : systems) {
            if (one.kind == kind) return &one;
        }
        return nullptr;
    }
};

/// What training came to. Borrows all for the call.
struct FindingsInput {
    const TrainingJob& job;
    const TrainedModel& trained;  ///< From all of `train`.
    const TrainingSet& train;     ///< Raw, as the other sets.
    const TrainingSet* validation = nullptr;
    const TrainingSet* test = nullptr;
    const CrossValidation* folds = nullptr;  ///< By `folding`; not with `test`.
    const CrossValidationOptions& folding;
    const QueryOracle* oracle = nullptr;  ///< Of `test`, else of `train`.
};

/// Measures the learned function beside what needs no learning, on held-out queries where there
/// are some; takes losses and rankers apart. Where weights depend on the query, the fixed
/// counterpart is learned too, in the same folds. Throws as `cross_validate` does.
BRAID_API TrainingFindings find_out(const FindingsInput& input, Executor& executor,
                                    const Progress& progress = {});

}  // namespace braid
