// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/output/usage.h"

#include <algorithm>
#include <map>
#include <set>
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

constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kMeaningColumn = 26;

// Adds the words of `text` to the last line of `page`, which is `indent` long, and to new lines of
// that indent.
void fill(const std::string& text, std::size_t indent, std::string& page) {
    std::size_t column = indent;
    for (std::size_t at = text.find_first_not_of(" \n"); at != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        if (column > indent && column + 1 + end - at > kHelpWidth) {
            page += "\n" + std::string(indent, ' ');
            column = indent;
        }
        if (column > indent) page += " ";
        page += text.substr(at, end - at);
        column += (column > indent ? 1 : 0) + end - at;
        at = text.find_first_not_of(" \n", end);
    }
    page += "\n";
}

// "  left" and, from the column of meanings on, `meaning`.
std::string entry(const std::string& left, const std::string& meaning) {
    std::string page = "  " + left;
    if (page.size() + 1 < kMeaningColumn) {
        page.resize(kMeaningColumn, ' ');
    } else if (!meaning.empty()) {
        page += "\n" + std::string(kMeaningColumn, ' ');
    }
    fill(meaning, kMeaningColumn, page);
    return page;
}

// The paragraphs of `text`, filled; lines that begin with a space stay.
std::string filled(const std::string& text) {
    std::string page;
    std::string paragraph;
    const auto flush = [&] {
        if (!paragraph.empty()) fill(paragraph, 0, page);
        paragraph.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        if (line.empty() || line[0] == ' ') {
            flush();
            page += line + "\n";
        } else {
            paragraph += line + " ";
        }
        at = end + 1;
    }
    flush();
    return page;
}

// What CLI11 calls a type, such as "UINT:UINT in [1 - 9]" or "TEXT:{a,b}", in two parts: what
// stands for the value, and what its description adds.
std::pair<std::string, std::string> value_of(const CLI::Option& option) {
    static const std::map<std::string, std::string> names = {
        {"UINT", "N"}, {"INT", "N"}, {"FLOAT", "X"}};
    static const std::map<std::string, std::string> rules = {{"NONNEGATIVE", "0 or more"},
                                                             {"POSITIVE", "above 0"}};
    const std::string type = option.get_type_name();
    const std::size_t colon = type.find(':');
    std::string name = type.substr(0, colon);
    if (const auto known = names.find(name); known != names.end()) name = known->second;
    if (colon == std::string::npos) return {name, ""};
    const std::string rule = type.substr(colon + 1);
    if (const auto known = rules.find(rule); known != rules.end()) return {name, known->second};
    if (rule[0] == '{') return {name == "TEXT" ? rule : name, name == "TEXT" ? "" : rule};
    const std::size_t begin = rule.find('[');
    const std::size_t dash = rule.find(" - ", begin);
    const std::size_t end = rule.find(']', begin);
    if (dash == std::string::npos || end == std::string::npos) return {name, rule};
    return {name, fmt::format("{} to {}", rule.substr(begin + 1, dash - begin - 1),
                              rule.substr(dash + 3, end - dash - 3))};
}

// "; WORD --one, --two", in one order on every run.
std::string others(const std::string& word, const std::set<CLI::Option*>& options) {
    std::set<std::string> names;
    for (const CLI::Option* option : options) names.insert(option->get_name());
    return names.empty() ? "" : fmt::format("; {} {}", word, fmt::join(names, ", "));
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// From CLI11 2.6 on, CLI11 fills paragraphs itself: examples and tables of formulas, too.
template <typename Formatter>
void leave_lines(Formatter& formatter) {
    if constexpr (requires { formatter.enable_footer_formatting(false); }) {
        formatter.enable_footer_formatting(false);
        formatter.enable_description_formatting(false);
    }
}

}  // namespace

HelpFormatter::HelpFormatter() { leave_lines(*this); }

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
    std::string left = option->get_name(is_positional, !is_positional);
    std::string meaning = option->get_description();
    if (const std::size_t comma = left.find(','); comma != std::string::npos) {
        left.insert(comma + 1, " ");
    }
    if (option->get_type_size() != 0) {
        const auto [value, rule] = value_of(*option);
        if (!is_positional && !value.empty()) left += " " + value;
        if (option->get_expected_max() == CLI::detail::expected_max_vector_size) left += " ...";
        if (!rule.empty()) meaning += fmt::format(" ({})", rule);
        if (const std::string initial = option->get_default_str();
            !initial.empty() && meaning.find('[') == std::string::npos) {
            meaning += initial[0] == '[' ? " " + initial : fmt::format(" [{}]", initial);
        }
    }
    if (option->get_required()) meaning += "; required";
    meaning += others("needs", option->get_needs()) + others("not with", option->get_excludes());
    return entry(left, meaning);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
    return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
    return filled(app->get_description());
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
    const std::string& text = app->get_footer();
    return filled(text.substr(std::min(text.find_first_not_of('\n'), text.size())));
}

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
