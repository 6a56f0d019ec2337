// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace braid::cli {

/// Two lines about a command line that `app` refused with `error`: the problem, an unknown word
/// before a missing one, with the likely intended word; then where to read more.
std::vector<std::string> usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace braid::cli
