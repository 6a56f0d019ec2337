// SPDX-License-Identifier: GPL-2.0-or-later
// What a model, a configuration or a call can name:
//
//     #include <iostream>
//
//     for (const braid::ComponentInfo& learner : braid::components(braid::Family::kLearners)) {
//         std::cout << learner.name << ": " << learner.summary << '\n';
//     }
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/parameters.h"

namespace braid {

/// The families of components that models, configurations and calls name.
enum class Family {
    kRankers,        ///< RankerSpec::ranker
    kNormalisers,    ///< Normalisation::normaliser
    kFusionMethods,  ///< FusionOptions::method
    kTopicModels,    ///< TopicSettings::model
    kLearners,       ///< TrainingJob::learner
    kMeasures,       ///< evaluate; "ndcg" stands for "ndcg@10", too.
};

/// A component by its name, as help texts tell of it.
struct ComponentInfo {
    std::string name;
    std::string summary;  ///< One line.
    std::vector<ParameterInfo> parameters = {};
    std::vector<ChoiceInfo> choices = {};
};

/// Every component of a family, in the order of help texts.
BRAID_API std::vector<ComponentInfo> components(Family family);

}  // namespace braid
