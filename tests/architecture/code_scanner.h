// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace braid::architecture {

struct Token {
    std::string text;  ///< A word, a number, "::", "->", or one sign.
    std::size_t line = 0;
};

enum class Scope { kNamespace, kClass, kFunction };

/// What stands between two semicolons, without the contents of braces.
struct Statement {
    Scope scope = Scope::kNamespace;  ///< In which it stands.
    std::vector<Token> tokens;        ///< A pair of braces that was passed over is "{", "}".
};

/// The lines of a function's braces.
struct FunctionBody {
    std::size_t first = 0;
    std::size_t last = 0;
};

struct Scan {
    std::vector<Statement> statements;
    std::vector<FunctionBody> functions;  ///< Named ones; a lambda belongs to its function.
};

/// Takes C++ apart as far as the rules need: which statements stand in which scope. Not a parser:
/// it goes by braces and the words before them, which house style keeps easy to read.
Scan scan_code(std::string_view code);

}  // namespace braid::architecture
