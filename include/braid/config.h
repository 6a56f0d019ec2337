// SPDX-License-Identifier: GPL-2.0-or-later
// A configuration, and the model in it:
//
//     #include "braid/searcher.h"
//
//     const braid::Settings settings = braid::load_settings("mail");
//     braid::Searcher searcher("inbox");
//     searcher.rank_by(settings.model);
#pragma once

#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/model.h"
#include "braid/settings.h"

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
