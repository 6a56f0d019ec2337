// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <regex>
#include <set>

#include "braid/tests/architecture/code_scanner.h"
#include "braid/tests/architecture/rules.h"

namespace braid::architecture {
namespace {

// The declaration without what stands in angle brackets and without its value: where const,
// asterisks and parentheses belong to the variable itself.
std::vector<std::string> outline_of(const std::vector<Token>& tokens) {
    std::vector<std::string> outline;
    std::size_t angles = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string& text = tokens[i].text;
        const bool is_operator = i > 0 && tokens[i - 1].text == "operator";
        if (text == "<" && !is_operator) {
            ++angles;
        } else if (text == ">" && angles > 0) {
            --angles;
        } else if (angles == 0) {
            if (text == "=" && !is_operator) break;
            outline.push_back(text);
        }
    }
    return outline;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// What begins a statement at namespace scope that declares no variable.
bool declares_no_variable(const std::vector<std::string>& outline) {
    static const std::set<std::string> beginnings = {
        "using", "typedef", "static_assert", "friend", "namespace", "concept", "asm", "requires"};
    return outline.empty() || beginnings.count(outline[0]) > 0 || contains(outline, "concept") ||
           contains(outline, "operator");
}

// class X; or class X {...}; as opposed to struct {...} x;
bool only_declares_a_type(const std::vector<std::string>& outline) {
    static const std::set<std::string> types = {"class", "struct", "union", "enum"};
    if (types.count(outline[0]) == 0) return false;
    return !contains(outline, "{") || outline.back() == "}";
}

// `const T`, or for a pointer `T* const`; constexpr makes the variable itself const.
bool is_constant(const std::vector<std::string>& outline) {
    if (contains(outline, "constexpr")) return true;
    const auto pointer = std::find(outline.rbegin(), outline.rend(), "*").base();
    const auto from = pointer == outline.begin() ? outline.begin() : pointer;
    return std::find(from, outline.end(), "const") != outline.end();
}

// Where a template's parameters end, or the beginning.
std::vector<Token> without_template(const std::vector<Token>& tokens) {
    if (tokens.empty() || tokens[0].text != "template") return tokens;
    std::size_t depth = 0;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        if (tokens[i].text == "<") ++depth;
        if (tokens[i].text == ">" && --depth == 0) {
            return {tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, tokens.end()};
        }
    }
    return {};
}

bool is_mutable_global(const Statement& statement) {
    const std::vector<std::string> outline = outline_of(without_template(statement.tokens));
    if (declares_no_variable(outline)) return false;
    if (contains(outline, "thread_local")) return true;
    const bool is_static = contains(outline, "static");
    if (statement.scope != Scope::kNamespace && !is_static) return false;
    if (only_declares_a_type(outline)) return false;
    // A function; `int x(3)` reads the same, but house style has `int x = 3`.
    if (contains(outline, "(") && statement.scope != Scope::kFunction) return false;
    return !is_constant(outline);
}

// Xapian counts the references to these two objects without a lock. Threads that copy one at the
// same time lose a count, and the object is freed while it is in use.
void check_shared_queries(const SourceFile& file, Violations& violations) {
    static const std::regex names(R"(\b(?:MatchAll|MatchNothing)\b)");
    const std::string code = without_comments(file.text, true);
    for (std::sregex_iterator at(code.begin(), code.end(), names), end; at != end; ++at) {
        violations.push_back({file.path, line_of(code, static_cast<std::size_t>(at->position())),
                              "uses Query::" + at->str() +
                                  ", which all threads share; expected a query of its own, "
                                  "Query(std::string()) or Query()"});
    }
}

}  // namespace

Violations check_globals(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code()) continue;
        if (file.is_library() || file.is_below("cli")) check_shared_queries(file, violations);
        if (!file.is_library()) continue;
        for (const Statement& statement : scan_code(file.text).statements) {
            if (!is_mutable_global(statement)) continue;
            violations.push_back({file.path, statement.tokens[0].line,
                                  "declares a variable that outlives calls and can change"});
        }
    }
    return violations;
}

}  // namespace braid::architecture
