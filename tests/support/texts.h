// SPDX-License-Identifier: GPL-2.0-or-later
// Texts as tests take them apart, and tables of texts: what goes in, and what must come out.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace braid::test {

std::string repeated(const std::string& text, std::size_t times);
std::vector<std::string> lines_of(const std::string& text);

/// A row of a table.
struct TextCase {
    std::string given;
    std::string expected;
};

/// Checks that `call` makes of each row's given text the expected one. Failures show both.
void check_texts(const std::function<std::string(const std::string&)>& call,
                 std::initializer_list<TextCase> rows);

/// Checks that `read` refuses each row's given text: it throws an Error whose message contains the
/// expected one.
void check_refused(const std::function<void(const std::string&)>& read,
                   std::initializer_list<TextCase> rows);

/// Checks that a table in the page, a path below docs/, has a row for `name`.
void check_in_table(const std::string& page, const std::string& name);

/// Checks that `read` takes or refuses every truncation of `whole`, none included: it throws no
/// exception but a FormatError, whose message contains `named`.
void check_truncations(const std::string& whole, const std::string& named,
                       const std::function<void(const std::string&)>& read);

}  // namespace braid::test
