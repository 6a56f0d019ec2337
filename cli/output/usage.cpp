// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/output/usage_error.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/base/text.h"

namespace braid::cli {
namespace {

constexpr std::size_t kLeastPrefix = 3;  // Fewer letters begin too many words.

// "--name=value" without its value.
std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

// The one that was likely meant: near by letters, or what `word` begins with, or begins.
std::string meant(const std::string& word, const std::vector<std::string>& known) {
    std::string near = nearest_word(word, known);
    if (!near.empty()) return near;
    std::string best;
    const std::size_t dashes = word.find_first_not_of('-');
    for (const std::string& name : known) {
        const std::size_t shared = std::min(word.size(), name.size());
        if (dashes == std::string::npos || shared < dashes + kLeastPrefix) continue;
        if (word.compare(0, shared, name, 0, shared) == 0 && name.size() > best.size()) best = name;
    }
    return best;
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

std::string unknown_option(const CLI::App& app, const CLI::App& command, const std::string& word) {
    const std::string name = name_of(word);
    const std::string near = meant(name, option_names(command));
    if (!near.empty()) return fmt::format("unknown option {}; did you mean {}?", name, near);
    std::vector<std::string> elsewhere;
    for (const CLI::App* other : app.get_subcommands([](const CLI::App*) { return true; })) {
        const std::vector<std::string> names = option_names(*other);
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            elsewhere.push_back(app.get_name() + " " + other->get_name());
        }
    }
    if (elsewhere.empty()) return fmt::format("unknown option {}", name);
    return fmt::format("unknown option {}, which belongs to {}", name, fmt::join(elsewhere, ", "));
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
    const std::vector<std::string> names = command_names(app);
    const std::string near = meant(word, names);
    if (!near.empty()) return fmt::format("unknown command {}; did you mean {}?", word, near);
    return fmt::format("unknown command {}; there are {}", word, fmt::join(names, ", "));
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

std::vector<std::string> usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const CLI::App& command = chosen.empty() ? app : *chosen.front();
    const std::string called =
        chosen.empty() ? app.get_name() : app.get_name() + " " + command.get_name();
    std::string what = error.what();
    if (chosen.empty()) {
        what = fmt::format("a command is required: {}", fmt::join(command_names(app), ", "));
    }
    std::vector<std::string> unknown = command.remaining();
    // What follows the mark are arguments.
    unknown.erase(std::find(unknown.begin(), unknown.end(), "--"), unknown.end());
    const auto option = std::find_if(unknown.begin(), unknown.end(), is_option);
    if (option != unknown.end()) {
        what = unknown_option(app, command, *option);
    } else if (!unknown.empty()) {
        what = chosen.empty() ? unknown_command(app, unknown.front())
                              : fmt::format("unexpected argument {}", unknown.front());
    }
    return {fmt::format("{}: {}", called, what),
            fmt::format("Run {} --help for more information.", called)};
}

}  // namespace braid::cli
