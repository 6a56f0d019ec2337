// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

enum class Separator { kBlanks, kTab, kComma };

/// Cuts lines into cells. Cells cut at tabs and commas lose the blanks around them, and an empty
/// last cell is left out; cells cut at commas may be quoted, with "" for a quote. The cells are
/// views into the line or, for quoted ones, into this object, until the next call.
class ColumnCutter {
  public:
    const std::vector<std::string_view>& cut(std::string_view line, Separator separator);

  private:
    std::string_view take_quoted(std::string_view& rest);

    std::vector<std::string_view> cells_;
    std::deque<std::string> unquoted_;
};

}  // namespace braid
