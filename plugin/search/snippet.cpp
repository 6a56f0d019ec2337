// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/snippet.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace braid {
namespace {

// Bytes that valid text doesn't have: they stand for the highlights until the text is unescaped.
constexpr char kBegin = '\x01';
constexpr char kEnd = '\x02';

std::string one_line(const std::string& text) {
    std::string line;
    line.reserve(text.size());
    for (const char c : text) {
        const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
        if (!blank) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    return line;
}

// Xapian escapes its snippets for HTML: only these, and "&" only as the first.
std::string_view unescape(std::string_view& rest) {
    for (const auto& [escape, plain] : {std::pair<std::string_view, std::string_view>{"&amp;", "&"},
                                        {"&lt;", "<"},
                                        {"&gt;", ">"},
                                        {"&quot;", "\""}}) {
        if (rest.substr(0, escape.size()) == escape) {
            rest.remove_prefix(escape.size());
            return plain;
        }
    }
    const std::string_view first = rest.substr(0, 1);
    rest.remove_prefix(1);
    return first;
}

}  // namespace

std::string make_snippet(const Xapian::MSet& mset, const std::string& text,
                         const Xapian::Stem& stemmer, const SnippetOptions& options) {
    if (options.length == 0 || text.empty()) return "";
    const std::string escaped =
        mset.snippet(one_line(text), options.length, stemmer,
                     Xapian::MSet::SNIPPET_BACKGROUND_MODEL | Xapian::MSet::SNIPPET_EXHAUSTIVE,
                     std::string(1, kBegin), std::string(1, kEnd), "...");
    std::string result;
    for (std::string_view rest = escaped; !rest.empty();) {
        if (rest.front() == kBegin || rest.front() == kEnd) {
            result += rest.front() == kBegin ? options.highlight_begin : options.highlight_end;
            rest.remove_prefix(1);
        } else if (options.html) {
            result += rest.front();
            rest.remove_prefix(1);
        } else {
            result += unescape(rest);
        }
    }
    return result;
}

}  // namespace braid
