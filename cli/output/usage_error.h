// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace braid::cli {

/// What is wrong with a command line that `app` refused with `error`, in one line: the word that
/// isn't known before anything that is missing, and what was likely meant; then, as a second line,
/// where to read more.
std::vector<std::string> usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace braid::cli
