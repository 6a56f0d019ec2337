// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/model/ranking_function.h"
#include "braid/error.h"

namespace braid {

/// `progress` with `where` before each phase: "fold 3 of 10: training genm-bat". Borrows it.
Progress within(const Progress& progress, const std::string& where);

/// The share of the learned weights that is kept, as decided by held-out queries.
struct HeldBack {
    double share = 0;         ///< Share of the learned weights; the anchor has the rest.
    double gain = 0;          ///< Gain over the anchor: mean of held-out queries.
    double error = 0;         ///< The standard error of `gain`.
    std::size_t queries = 0;  ///< Held-out queries, each held out once.
};

/// The shares to try: 0, 1/4 .. 1.
std::span<const double> hold_back_shares();

/// docs/algorithms/held-back.md (2): the share with the greatest gain less `errors` times its
/// standard error, 0 if none is positive. `values`: the measure by share and query.
HeldBack held_back(const std::vector<std::vector<double>>& values, double errors = 1);

/// Queries split into parts, each of which is held out once.
struct HeldOutPart {
    std::vector<std::size_t> inside;   ///< Training queries: indexes into the set, ascending.
    std::vector<std::size_t> outside;  ///< Held-out queries.
};

/// At most `count` parts of the set's useful queries, split at random by options.seed.
std::vector<HeldOutPart> held_out_parts(const TrainingSet& set, const LearnerOptions& options,
                                        std::size_t count);

/// options.measure by share (hold_back_shares) and query of `set` on which something can score, of
/// that function mixed with options.anchor.
std::vector<std::vector<double>> share_values(const TrainingSet& set,
                                              const RankingFunction& learned,
                                              const LearnerOptions& options, Executor& executor);

/// The same for held-out queries, each by the function learned from the other parts. Throws as
/// fit_learner does.
std::vector<std::vector<double>> held_out_values(const std::string& learner, const TrainingSet& set,
                                                 const LearnerOptions& options,
                                                 const std::vector<HeldOutPart>& parts,
                                                 Executor& executor, const Progress& progress);

/// Whether the learner's weights can be held back: it reads judgements, and its results are
/// weights, fixed or computed from a query's features. `choices` may omit defaults.
bool can_hold_back(const LearnerInfo& info, const ChoiceMap& choices);

/// Calls fit_learner, then mixes its weights with options.anchor by the share that held_back
/// chooses from `parts` further fits. Each of these is fitted to the queries of all parts but one
/// and measured on that one by options.measure, with the settings that the first fit settled. The
/// stop reason begins with the finding; curve, objective and state are those of the fit to all
/// queries. Equals fit_learner without a second useful query, for fewer than 2 parts, a learner
/// that can't be held back, a validation set, or a state to resume. Throws as fit_learner does.
TrainingResult fit_held_back(const std::string& learner, const TrainingSet& set,
                             const LearnerOptions& options, std::size_t parts, Executor& executor,
                             const Progress& progress = {});

/// Chooses a quick learner, and the share of its weights to mix with the anchor's, by held-out
/// queries; docs/algorithms/anchored.md (5).
LearnerMethod auto_method();

// Trees beside a linear model, where held-out queries show that they gain.
// docs/algorithms/trees.md section 4.

/// Learns the linear model's weights from some of the queries.
using LearnWeights = std::function<std::vector<double>(const TrainingSet& set)>;

struct MixingOptions {
    std::size_t parts = 5;  ///< In which the queries are held out.
    double errors = 1;      ///< Standard errors by which the gain must exceed 0.
};

struct MixedTrees {
    RankingFunction function;  ///< The weights alone, or a forest with them as its linear part.
    std::size_t trees = 0;     ///< 0: nothing gains.
    std::string reason;        ///< "20 trees beside the weights (gain on 63 held-out queries ..)".
};

/// `weights` were learned from the whole set, by `learn`. options.validation, where there is one,
/// is one more held-out part: queries that the whole set is learned for. The same bits at any
/// number of threads. Throws as fit_learner does.
MixedTrees mix_with_trees(const TrainingSet& set, const std::vector<double>& weights,
                          const LearnWeights& learn, const LearnerOptions& options,
                          const MixingOptions& mixing, Executor& executor,
                          const Progress& progress);

/// The same beside the fixed weights of `result`, of which the trees become part. Returns the
/// reason.
std::string add_trees(const TrainingSet& set, const LearnWeights& learn,
                      const LearnerOptions& options, const MixingOptions& mixing,
                      Executor& executor, const Progress& progress, TrainingResult& result);

/// listnet's weights, mixed with trees.
LearnerMethod mixed_method();

}  // namespace braid
