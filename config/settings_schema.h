// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/config/types.h"
#include "braid/model.h"
#include "braid/settings.h"

namespace braid::yaml {

/// The type of a whole configuration: the one declaration of every key.
const Type<Settings>& settings_type();

/// The type of the section `model`, which is also a trained model's file.
const Type<FusionModel>& model_type();

/// The paths of all keys below `keys`, for suggestions.
std::vector<std::string> all_paths(const std::vector<KeyInfo>& keys);

/// The section `model.provenance.learning`.
Type<LearningRecord> learning_type();

}  // namespace braid::yaml
