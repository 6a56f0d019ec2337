// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/columns.h"

#include "braid/indexer/formats/scan.h"

namespace braid {

// `rest` begins with the opening quote. What follows the closing one, up to the next comma, is
// kept as it is; a quote that is never closed reaches to the end of the line.
std::string_view ColumnCutter::take_quoted(std::string_view& rest) {
    std::string& text = unquoted_.emplace_back();
    std::size_t i = 1;
    for (; i < rest.size(); ++i) {
        if (rest[i] != '"') {
            text += rest[i];
        } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
            text += rest[i++];
        } else {
            ++i;
            break;
        }
    }
    const std::size_t comma = rest.find(',', i);
    text += trim(rest.substr(i, comma == std::string_view::npos ? comma : comma - i));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma);
    return text;
}

const std::vector<std::string_view>& ColumnCutter::cut(std::string_view line, Separator separator) {
    cells_.clear();
    if (separator == Separator::kBlanks) {
        for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
            cells_.push_back(word);
        }
        return cells_;
    }
    unquoted_.clear();
    const char mark = separator == Separator::kTab ? '\t' : ',';
    for (bool more = true; more;) {
        if (separator == Separator::kComma) {
            while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
        }
        if (separator == Separator::kComma && line.starts_with('"')) {
            cells_.push_back(take_quoted(line));
        } else {
            const std::size_t end = line.find(mark);
            cells_.push_back(trim(line.substr(0, end)));
            line.remove_prefix(end == std::string_view::npos ? line.size() : end);
        }
        more = !line.empty();
        if (more) line.remove_prefix(1);
    }
    while (!cells_.empty() && cells_.back().empty()) cells_.pop_back();
    return cells_;
}

}  // namespace braid
