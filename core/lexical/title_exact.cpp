// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/title_exact.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace braid {
namespace {

bool is_same(const TitleWord& word, const NameWord& wanted) {
    return (wanted.is_stem ? word.stem : word.word) == wanted.text;
}

TitleMatch match_words(std::span<const TitleWord> title, std::span<const NameWord> query) {
    if (query.empty()) return TitleMatch::kNone;
    const auto found = std::search(title.begin(), title.end(), query.begin(), query.end(), is_same);
    if (found == title.end()) return TitleMatch::kNone;
    if (found != title.begin()) return TitleMatch::kContains;
    return title.size() == query.size() ? TitleMatch::kEquals : TitleMatch::kBegins;
}

}  // namespace

TitleMatch match_title(std::span<const TitleWord> title, std::span<const NameWord> query) {
    const TitleMatch all = match_words(title, query);
    if (std::none_of(title.begin(), title.end(), [](const auto& word) { return word.is_stop; })) {
        return all;
    }
    std::vector<TitleWord> rest;
    std::copy_if(title.begin(), title.end(), std::back_inserter(rest),
                 [](const TitleWord& word) { return !word.is_stop; });
    return std::max(all, match_words(rest, query));
}

}  // namespace braid
