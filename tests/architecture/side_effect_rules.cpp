// SPDX-License-Identifier: GPL-2.0-or-later
#include <regex>

#include "braid/tests/architecture/rules.h"

namespace braid::architecture {
namespace {

// Names that print, end the process or read its environment, where no member has that name.
const std::regex& forbidden_names() {
    static const std::regex pattern(
        R"re(std\s*::\s*w?(?:cout|cerr|clog)\b)re"
        R"re(|\b(?:stdout|stderr)\b)re"
        R"re(|\b(?:fmt|std)\s*::\s*(?:vprint|print|println)\b)re"
        R"re(|(?:^|[^\w.>])(?:printf|vprintf|wprintf|puts|putchar|perror|psignal)\s*\()re"
        R"re(|(?:^|[^\w.>])(?:exit|_exit|_Exit|quick_exit|abort)\s*\()re"
        R"re(|\bstd\s*::\s*terminate\b)re"
        R"re(|(?:^|[^\w.>])(?:getenv|secure_getenv|setenv|putenv|unsetenv|environ)\b)re");
    return pattern;
}

std::string trimmed(std::string text) {
    while (!text.empty() && !std::isalpha(static_cast<unsigned char>(text.front())) &&
           text.front() != '_') {
        text.erase(0, 1);
    }
    while (!text.empty() && (text.back() == '(' || text.back() == ' ')) text.pop_back();
    return text;
}

}  // namespace

Violations check_side_effects(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        const bool library = file.is_below("core") || file.is_below("config") ||
                             file.is_below("plugin") || file.is_below("indexer");
        if (!file.is_code() || !library) continue;
        const std::string code = without_comments(file.text, true);
        for (std::sregex_iterator at(code.begin(), code.end(), forbidden_names()), end; at != end;
             ++at) {
            std::string match = at->str();
            const auto skipped = match.find_first_not_of(" \t\n");
            const auto offset = static_cast<std::size_t>(at->position()) + skipped;
            violations.push_back(
                {file.path, line_of(code, offset),
                 "uses " + trimmed(match) + "; only cli prints, exits or reads the environment"});
        }
    }
    return violations;
}

}  // namespace braid::architecture
