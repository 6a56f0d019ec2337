// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/learn/learner.h"

namespace braid {

/// How much of learned weights is kept, as queries say that were held out while they were learned.
struct HeldBack {
    double share = 0;         ///< Of the learned weights; the anchor's are the rest.
    double gain = 0;          ///< Over the anchor: mean of held-out queries.
    double error = 0;         ///< The standard error of `gain`.
    std::size_t queries = 0;  ///< Held out, each once.
};

/// The shares that are tried: 0, 1/4 .. 1.
BRAID_API std::span<const double> hold_back_shares();

/// docs/algorithms/held-back.md (2): the share of the greatest gain less `errors` of its standard
/// errors, 0 where none is above 0. `values`: the measure by share and query.
BRAID_API HeldBack held_back(const std::vector<std::vector<double>>& values, double errors = 1);

/// Queries dealt into parts, each of which is held out once.
struct HeldOutPart {
    std::vector<std::size_t> inside;   ///< Learned from: places in the set, ascending.
    std::vector<std::size_t> outside;  ///< Measured on.
};

/// At most `count` parts of the set's useful queries, which options.seed deals.
BRAID_API std::vector<HeldOutPart> held_out_parts(const TrainingSet& set,
                                                  const LearnerOptions& options, std::size_t count);

/// options.measure by share (hold_back_shares) and query of `set` on which something can score, of
/// that function mixed with options.anchor.
BRAID_API std::vector<std::vector<double>> share_values(const TrainingSet& set,
                                                        const RankingFunction& learned,
                                                        const LearnerOptions& options,
                                                        Executor& executor);

/// The same for held-out queries, of what the learner learns from
/// each part's other queries. Throws as fit_learner does.
BRAID_API std::vector<std::vector<double>> held_out_values(
    const std::string& learner, const TrainingSet& set, const LearnerOptions& options,
    const std::vector<HeldOutPart>& parts, Executor& executor, const Progress& progress);

/// Whether weights of that learner can be held back: it reads judgements, and all that it gives
/// are weights, the same for all queries or such as follow from a query's features. `choices` may
/// lack those that have their default.
BRAID_API bool can_hold_back(const LearnerInfo& info, const ChoiceMap& choices);

/// fit_learner, and then so much of its weights and of options.anchor as held_back says of `parts`
/// further fits, each to the queries of all parts but one and measured on that one by
/// options.measure, with what the first fit settled. The stop reason begins with what was found;
/// curve, objective and state are those of the fit to all queries. Without a second useful query,
/// and for a learner that can't be held back, a validation set, or a state that is continued, it is
/// fit_learner; so it is for fewer than 2 parts. Throws as fit_learner does.
BRAID_API TrainingResult fit_held_back(const std::string& learner, const TrainingSet& set,
                                       const LearnerOptions& options, std::size_t parts,
                                       Executor& executor, const Progress& progress = {});

}  // namespace braid
