// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/export.h"
#include "braid/core/parameters.h"
#include "braid/core/registry.h"

namespace braid {

/// A ranker as fusion models know it: by name and parameters, whatever family it is of.
struct ModelRanker {
    std::string name;
    std::string summary;  ///< One line.
    std::vector<ParameterInfo> parameters;
};

/// Every ranker that a model may name. Takes in the registries of the families; a new family is a
/// line in model_rankers.cpp.
BRAID_API const Registry<ModelRanker>& model_rankers();

}  // namespace braid
