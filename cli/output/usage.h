// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace braid::cli {

/// Prints help in 80 columns: names on the left, what they mean filled to the right, and a footer's
/// paragraphs filled, save lines that begin with a space. Adds to an option's description the
/// range, default, and options it needs or excludes, as CLI11 has them.
class HelpFormatter : public CLI::Formatter {
  public:
    HelpFormatter();

    std::string make_option(const CLI::Option* option, bool is_positional) const override;
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_description(const CLI::App* app) const override;
    std::string make_footer(const CLI::App* app) const override;
};

/// Two lines about a command line that `app` refused with `error`: the problem, an unknown word
/// before a missing one, with the likely intended word; then where to read more.
std::vector<std::string> usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace braid::cli
