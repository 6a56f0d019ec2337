// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/base/error.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

/// Reads the section `model` of a configuration. A learner's file has only that section, so it is a
/// configuration too; other sections are validated and ignored. Throws ConfigError, also if the
/// section is missing.
BRAID_API FusionModel parse_model(std::string_view yaml, const std::string& file);

/// Reads the model of a preset or a file; see `load_settings`.
BRAID_API FusionModel load_model(const std::string& path_or_preset);

/// YAML from which `parse_model` reads an equal value, to the last bit of each weight. Throws
/// InvalidArgument for a model that `parse_model` would reject.
BRAID_API std::string format_model(const FusionModel& model);

}  // namespace braid
