// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/learn/learner.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/parameters.h"

namespace braid {

/// What can be said of a learner and its choices before anything is learned. `choices` are
/// resolved; reasons are sentences without a full stop, "" where there is none.

/// Whether "choice=value" is among them, or one of "choice=value|other".
bool is_chosen(const ChoiceMap& choices, const std::string& pair);

bool needs_query_features(const LearnerInfo& info, const ChoiceMap& choices);

/// What is missing in a set without them, and what to do.
std::string why_query_features(const LearnerInfo& info);

/// Whether it needs the documents' places in a topic model.
BRAID_API bool needs_places(const LearnerInfo& info, const ChoiceMap& choices);

/// What is missing in a set without them.
std::string why_places(const LearnerInfo& info);

/// Why the learner can't aim at the measure of that full name.
std::string why_not_measure(const LearnerInfo& info, const std::string& measure);

bool may_weigh_negatively(const LearnerInfo& info, const ChoiceMap& choices);

/// Why scales can't become part of what the learner learns.
std::string why_not_scaled(const LearnerInfo& info);

/// Why a search needs a second pass, or may need one, to score by what the learner will learn from
/// scores normalised like that.
std::string why_second_pass(const LearnerInfo& info, const ChoiceMap& choices,
                            const Normalisation& normaliser);

}  // namespace braid
