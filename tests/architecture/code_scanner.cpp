// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/architecture/code_scanner.h"

#include <algorithm>
#include <set>

#include "braid/tests/architecture/source_tree.h"

namespace braid::architecture {
namespace {

bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Blanks preprocessor lines, with those that continue them.
void blank_directives(std::string& code) {
    bool continued = false;
    for (std::size_t start = 0; start < code.size();) {
        const std::size_t end = std::min(code.find('\n', start), code.size());
        const std::size_t first = code.find_first_not_of(" \t", start);
        const bool directive = continued || (first < end && code[first] == '#');
        continued = directive && end > start && code[end - 1] == '\\';
        if (directive) std::fill(code.begin() + start, code.begin() + end, ' ');
        start = end + 1;
    }
}

std::vector<Token> tokens_of(std::string_view code) {
    std::vector<Token> tokens;
    std::size_t line = 1;
    for (std::size_t i = 0; i < code.size();) {
        std::size_t end = i + 1;
        if (code[i] == '\n') {
            ++line;
        } else if (is_word_char(code[i])) {
            while (end < code.size() && is_word_char(code[end])) ++end;
            tokens.push_back({std::string(code.substr(i, end - i)), line});
        } else if (code[i] != ' ' && code[i] != '\t' && code[i] != '\r') {
            const std::string_view two = code.substr(i, 2);
            if (two == "::" || two == "->") ++end;
            tokens.push_back({std::string(code.substr(i, end - i)), line});
        }
        i = end;
    }
    return tokens;
}

bool has(const std::vector<Token>& tokens, std::string_view text) {
    return std::any_of(tokens.begin(), tokens.end(),
                       [&](const Token& token) { return token.text == text; });
}

class Scanner {
  public:
    Scan run(const std::vector<Token>& tokens) {
        for (const Token& token : tokens) take(token);
        return std::move(scan_);
    }

  private:
    // kType is a class's or an enumeration's braces; kNested those inside an expression.
    enum class Kind { kNamespace, kType, kBody, kNested };
    struct Open {
        Kind kind = Kind::kNamespace;
        Scope scope = Scope::kNamespace;
        std::size_t line = 0;
        bool function = false;           // The outermost braces of a named function.
        std::vector<Token> before = {};  // The statement that the braces are in.
        std::size_t parentheses = 0;
    };

    Scope scope() const { return open_.empty() ? Scope::kNamespace : open_.back().scope; }

    void take(const Token& token) {
        if (token.text == "{") return open(token);
        if (token.text == "}") return close(token);
        if (token.text == ";" && parentheses_ == 0) return end_statement();
        if (token.text == "(" || token.text == "[") ++parentheses_;
        if ((token.text == ")" || token.text == "]") && parentheses_ > 0) --parentheses_;
        static const std::set<std::string> access = {"public", "private", "protected", "default"};
        if (token.text == ":" && statement_.size() == 1 && access.count(statement_[0].text) > 0) {
            statement_.clear();
            return;
        }
        statement_.push_back(token);
    }

    void end_statement() {
        if (!statement_.empty()) scan_.statements.push_back({scope(), statement_});
        statement_.clear();
    }

    void open(const Token& token) {
        Open braces{kind_of_braces(), scope(), token.line};
        switch (braces.kind) {
            case Kind::kNamespace:
                braces.scope = Scope::kNamespace;
                break;
            case Kind::kType:
                braces.scope = has(statement_, "enum") ? Scope::kFunction : Scope::kClass;
                break;
            case Kind::kBody:
                braces.function = scope() != Scope::kFunction;
                braces.scope = Scope::kFunction;
                break;
            case Kind::kNested:
                braces.scope = Scope::kFunction;
                break;
        }
        braces.before = std::move(statement_);
        braces.parentheses = parentheses_;
        statement_.clear();
        parentheses_ = 0;
        open_.push_back(std::move(braces));
    }

    void close(const Token& token) {
        if (open_.empty()) return;
        Open braces = std::move(open_.back());
        open_.pop_back();
        if (braces.function) scan_.functions.push_back({braces.line, token.line});
        statement_.clear();
        parentheses_ = 0;
        if (braces.kind == Kind::kNamespace || braces.kind == Kind::kBody) return;
        // The statement goes on behind these braces.
        statement_ = std::move(braces.before);
        parentheses_ = braces.parentheses;
        statement_.push_back({"{", braces.line});
        statement_.push_back({"}", token.line});
    }

    Kind kind_of_braces() const {
        if (parentheses_ > 0) return Kind::kNested;
        const std::vector<Token> words = without_template(statement_);
        if (has(words, "namespace") || (words.size() == 2 && words[0].text == "extern")) {
            return Kind::kNamespace;
        }
        if (names_a_type(words)) return Kind::kType;
        if (has(words, "=") && !has(words, "operator")) return Kind::kNested;
        if (scope() == Scope::kFunction) return is_block(words) ? Kind::kBody : Kind::kNested;
        return is_function_body(words) ? Kind::kBody : Kind::kNested;
    }

    static std::vector<Token> without_template(const std::vector<Token>& tokens) {
        if (tokens.empty() || tokens[0].text != "template") return tokens;
        std::size_t depth = 0;
        for (std::size_t i = 1; i < tokens.size(); ++i) {
            if (tokens[i].text == "<") ++depth;
            if (tokens[i].text == ">" && --depth == 0) {
                return without_template(
                    {tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, tokens.end()});
            }
        }
        return tokens;
    }

    static bool names_a_type(const std::vector<Token>& words) {
        static const std::set<std::string> modifiers = {"static", "inline", "const", "constexpr",
                                                        "typedef"};
        static const std::set<std::string> types = {"class", "struct", "union", "enum"};
        for (const Token& word : words) {
            if (types.count(word.text) > 0) return true;
            if (modifiers.count(word.text) == 0) return false;
        }
        return false;
    }

    // In a function: a block, rather than a list of values behind a name, a return or a comma.
    static bool is_block(const std::vector<Token>& words) {
        if (words.empty()) return true;
        const std::string& last = words.back().text;
        return last == ")" || last == "else" || last == "do" || last == "try" || last == ":" ||
               words[0].text == "case";
    }

    // Outside of functions: a function's braces, rather than a variable's or a member's value.
    static bool is_function_body(const std::vector<Token>& words) {
        if (!has(words, ")")) return false;
        const std::string& last = words.back().text;
        if (last == ")" || last == "}" || !is_word_char(last[0])) return true;
        // name{...} of a constructor's initialisers; a word behind a function's parentheses is
        // const, noexcept, override or a returned type.
        std::size_t depth = 0;
        for (const Token& word : words) {
            if (word.text == "(") ++depth;
            if (word.text == ")") --depth;
            if (depth == 0 && word.text == ":") return false;
        }
        return true;
    }

    Scan scan_;
    std::vector<Open> open_;
    std::vector<Token> statement_;
    std::size_t parentheses_ = 0;
};

}  // namespace

Scan scan_code(std::string_view code) {
    std::string plain = without_comments(code, true);
    blank_directives(plain);
    return Scanner().run(tokens_of(plain));
}

}  // namespace braid::architecture
