// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"

namespace braid::cli {

/// --limit NAME=VALUE, which may be repeated, for a command that heeds the limits `names`. Another
/// is an error of the call, which lists those.
void add_limits(CLI::App& command, Session& session, std::vector<std::string> names);

/// Sets the limit that "NAME=VALUE" is about. Throws CLI::ValidationError.
void set_limit(const std::string& text, Limits& limits);

}  // namespace braid::cli
