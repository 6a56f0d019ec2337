// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/support/texts.h"

#include <sstream>

#include "braid/error.h"
#include "braid/tests/support/support.h"

namespace braid::test {

std::string repeated(const std::string& text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

void check_texts(const std::function<std::string(const std::string&)>& call,
                 std::initializer_list<TextCase> rows) {
    for (const TextCase& row : rows) {
        INFO("given: " << row.given);
        CHECK(call(row.given) == row.expected);
    }
}

void check_refused(const std::function<void(const std::string&)>& read,
                   std::initializer_list<TextCase> rows) {
    for (const TextCase& row : rows) {
        INFO("given: " << row.given);
        const std::string message = error_of([&] { read(row.given); });
        CHECK_FALSE(message.empty());
        CHECK_THAT(message, Contains(row.expected));
    }
}

void check_in_table(const std::string& page, const std::string& name) {
    CHECK_THAT(read_file(source_dir() / "docs" / page), Contains("| `" + name + "` |"));
}

void check_truncations(const std::string& whole, const std::string& named,
                       const std::function<void(const std::string&)>& read) {
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        INFO("cut to " << size << " bytes");
        try {
            read(whole.substr(0, size));
        } catch (const FormatError& error) {
            CHECK_THAT(error.what(), Contains(named));
        }
    }
}

}  // namespace braid::test
