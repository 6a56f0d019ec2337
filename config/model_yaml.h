// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/base/error.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

/// Reads the section `model` of a configuration. A file that a learner wrote has that section
/// alone, so that it serves as a configuration too; other sections are checked and passed over.
/// Throws ConfigError, also where there is no such section.
BRAID_API FusionModel parse_model(std::string_view yaml, const std::string& file);

/// Reads the model of a preset or a file; see `load_settings`.
BRAID_API FusionModel load_model(const std::string& path_or_preset);

/// YAML that `parse_model` turns back into an equal value, to the last bit of each weight. Throws
/// InvalidArgument for a model that `parse_model` would refuse.
BRAID_API std::string format_model(const FusionModel& model);

}  // namespace braid
