// SPDX-License-Identifier: GPL-2.0-or-later
#include <regex>

#include "braid/tests/architecture/rules.h"

namespace braid::architecture {
namespace {

// Names that end the process or read its environment, where no member has that name.
const std::regex& process_names() {
    static const std::regex pattern(
        R"re((?:^|[^\w.>])(?:exit|_exit|_Exit|quick_exit|abort)\s*\()re"
        R"re(|\bstd\s*::\s*terminate\b)re"
        R"re(|(?:^|[^\w.>])(?:getenv|secure_getenv|setenv|putenv|unsetenv|environ)\b)re");
    return pattern;
}

const std::regex& printing_names() {
    static const std::regex pattern(
        R"re(std\s*::\s*w?(?:cout|cerr|clog)\b)re"
        R"re(|\b(?:stdout|stderr)\b)re"
        R"re(|\b(?:fmt|std)\s*::\s*(?:vprint|print|println)\b)re"
        R"re(|(?:^|[^\w.>])(?:printf|vprintf|wprintf|puts|putchar|perror|psignal)\s*\()re");
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

void add_uses(const SourceFile& file, const std::regex& names, const std::string& rule,
              Violations& violations) {
    const std::string code = without_comments(file.text, true);
    for (std::sregex_iterator at(code.begin(), code.end(), names), end; at != end; ++at) {
        std::string match = at->str();
        const auto skipped = match.find_first_not_of(" \t\n");
        const auto offset = static_cast<std::size_t>(at->position()) + skipped;
        violations.push_back(
            {file.path, line_of(code, offset), "uses " + trimmed(match) + "; " + rule});
    }
}

}  // namespace

Violations check_side_effects(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code() || !file.is_library()) continue;
        const std::string rule = "only cli prints, exits or reads the environment";
        add_uses(file, printing_names(), rule, violations);
        add_uses(file, process_names(), rule, violations);
    }
    return violations;
}

Violations check_printing(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code() || !file.is_below("cli") || file.path == "cli/output/output.cpp")
            continue;
        add_uses(file, printing_names(), "only cli/output/output.cpp prints", violations);
    }
    return violations;
}

Violations check_query_walks(const SourceTree& tree) {
    static const std::regex walks(R"re([.>]\s*get_(?:num_subqueries|subquery)\s*\()re");
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code() || file.is_below("tests") || file.path == "plugin/query/query_tree.cpp")
            continue;
        add_uses(file, walks, "only plugin/query/query_tree.cpp walks queries", violations);
    }
    return violations;
}

}  // namespace braid::architecture
