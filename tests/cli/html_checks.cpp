// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/cli/html_checks.h"

#include <cctype>
#include <vector>

#include "braid/tests/support/support.h"

namespace braid::test {

std::set<std::string> check_elements(const std::string& html) {
    const std::set<std::string> empty = {"meta", "input"};
    std::set<std::string> seen;
    std::vector<std::string> open;
    // A script is no markup: only its end counts.
    for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
        if (html[at + 1] == '!') continue;
        const std::size_t end = html.find('>', at);
        REQUIRE(end != std::string::npos);
        const bool closes = html[at + 1] == '/';
        std::string name;
        for (std::size_t i = at + (closes ? 2 : 1); std::isalnum(html[i]) != 0; ++i)
            name += html[i];
        INFO("at " << html.substr(at, 60));
        REQUIRE_FALSE(name.empty());
        seen.insert(name);
        if (closes) {
            REQUIRE_FALSE(open.empty());
            REQUIRE(open.back() == name);
            open.pop_back();
        } else if (name == "script") {
            at = html.find("</script>", at);
            REQUIRE(at != std::string::npos);
            at += 8;
        } else if (html[end - 1] != '/' && empty.count(name) == 0) {
            open.push_back(name);
        }
    }
    CHECK(open.empty());
    for (const char* outside : {"http:", "https:", "url(", "@import", "src=", "href="}) {
        INFO(outside);
        CHECK_FALSE(has(html, outside));
    }
    return seen;
}

bool has(const std::string& html, const std::string& part) {
    return html.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

}  // namespace braid::test
