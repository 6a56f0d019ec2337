// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/base/error.h"
#include "braid/core/settings/settings.h"

namespace braid {

/// Reads a configuration from YAML text; `file` is its name in messages. Missing keys have their
/// defaults. Throws ConfigError for unexpected content: "file:line:column: key: found ..., expected
/// ...; did you mean '...'?".
BRAID_API Settings parse_settings(std::string_view yaml, const std::string& file);

/// Reads the preset of that name, or else the file. A preset's name never means a file, so a
/// command doesn't depend on its working folder; `./mail` is the file. The path of a stop word file
/// is relative to the configuration's folder. Throws ConfigError; UnknownComponent for a word that
/// is neither a preset nor a file.
BRAID_API Settings load_settings(const std::string& path_or_preset);

/// YAML from which `parse_settings` reads an equal value: all keys, but in list entries only those
/// that differ from their defaults. `with_comments` explains each key above it. Throws
/// InvalidArgument for settings that `parse_settings` would reject.
BRAID_API std::string format_settings(const Settings& settings, bool with_comments = false);

}  // namespace braid
