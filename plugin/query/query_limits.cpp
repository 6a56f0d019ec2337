// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_limits.h"

#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid {
namespace {

[[noreturn]] void refuse_words(std::size_t limit) {
    throw InvalidArgument(
        fmt::format("the query has more than {} words, which is the limit 'words'", limit));
}

[[noreturn]] void refuse_nesting(std::size_t limit) {
    throw InvalidArgument(fmt::format(
        "the query is nested more than {} levels deep, which is the limit 'nesting'", limit));
}

// An operator on the way from the root, and its next subquery to look at.
struct Level {
    Xapian::Query query;
    std::size_t next = 0;
};

}  // namespace

void check_query_text(const std::string& text, const Limits& limits) {
    std::size_t words = 0;
    std::size_t depth = 0;
    bool in_word = false;
    for (Xapian::Utf8Iterator at(text); at != Xapian::Utf8Iterator(); ++at) {
        const bool is_word = Xapian::Unicode::is_wordchar(*at);
        if (is_word && !in_word && ++words > limits.words) refuse_words(limits.words);
        in_word = is_word;
        if (*at == '(' && ++depth > limits.nesting) refuse_nesting(limits.nesting);
        if (*at == ')' && depth > 0) --depth;
    }
}

void check_query(const Xapian::Query& query, const Limits& limits) {
    if (query.empty()) return;
    std::size_t leaves = 0;
    std::vector<Level> path = {{query}};
    while (!path.empty()) {
        Level& level = path.back();
        const std::size_t parts = level.query.get_num_subqueries();
        if (parts == 0 && ++leaves > limits.words) refuse_words(limits.words);
        if (level.next == parts) {
            path.pop_back();
            continue;
        }
        if (path.size() > limits.nesting) refuse_nesting(limits.nesting);
        path.push_back({level.query.get_subquery(level.next++)});
    }
}

}  // namespace braid
