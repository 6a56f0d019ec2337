// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/error.h"
#include "braid/core/settings/settings.h"

namespace braid {

/// Reads a configuration from YAML text; `file` is its name in messages. Throws ConfigError:
/// "file:line:column: key: found ..., expected ...; did you mean ...?".
BRAID_API Settings parse_settings(std::string_view yaml, const std::string& file);

/// Reads a file, or the preset of that name where there is no such file.
BRAID_API Settings load_settings(const std::string& path_or_preset);

/// YAML that `parse_settings` turns back into an equal value.
BRAID_API std::string format_settings(const Settings& settings);

}  // namespace braid
