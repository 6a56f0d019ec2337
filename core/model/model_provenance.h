// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "braid/core/model/learning_record.h"

namespace braid {

/// A topic model that a ranker of a fusion model needs, as the database names it.
struct TopicModelIdentity {
    std::string name;  ///< The ranker's name for it: "lsa".
    std::string id;    ///< Changes with every training of the topic model.

    bool operator==(const TopicModelIdentity&) const = default;
};

/// Where a fusion model comes from. Kept with it and shown, never part of a score. Whoever trains
/// fills it; all of it is empty for weights that were written by hand. Holds no date and no path,
/// so that the same training gives the same bytes.
struct ModelProvenance {
    std::string learner = {};                         ///< "genm-bat"
    std::map<std::string, std::string> options = {};  ///< The learner's, as one would write them.
    std::uint64_t seed = 0;
    /// Means over queries the weights were not trained on, by measure: "map", "ndcg@10".
    std::map<std::string, double> measures = {};
    /// A database with other topic models under these names refuses the fusion model.
    std::vector<TopicModelIdentity> topic_models = {};
    LearningRecord learning = {};

    bool operator==(const ModelProvenance&) const = default;
};

}  // namespace braid
