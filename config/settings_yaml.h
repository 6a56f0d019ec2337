// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/base/error.h"
#include "braid/core/settings/settings.h"

namespace braid {

/// Reads a configuration from YAML text; `file` is its name in messages. What the text leaves out
/// has its default. Throws ConfigError for anything that isn't meant to be there:
/// "file:line:column: key: found ..., expected ...; did you mean '...'?".
BRAID_API Settings parse_settings(std::string_view yaml, const std::string& file);

/// Reads the preset of that name, or else the file. A name that is a preset's never means a file,
/// so that what a command does can't depend on the folder it runs in; `./mail` is the file. A file
/// of stop words is taken from the configuration's folder. Throws ConfigError; UnknownComponent for
/// a word that is neither a preset nor a file.
BRAID_API Settings load_settings(const std::string& path_or_preset);

/// YAML that `parse_settings` turns back into an equal value: all keys, and in the entries of lists
/// those that differ from their defaults. `with_comments` says above each key what it means. Throws
/// InvalidArgument for settings that `parse_settings` would refuse.
BRAID_API std::string format_settings(const Settings& settings, bool with_comments = false);

}  // namespace braid
