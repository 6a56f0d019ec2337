// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/core/base/text.h"

namespace braid::cli {

/// A table for a terminal: columns as wide as their widest cell, two blanks between them. The
/// first `left` columns are aligned to the left, the others to the right. Cells are made visible.
class TextTable {
  public:
    explicit TextTable(std::size_t left = 1) : left_(left) {}

    void row(std::vector<std::string> cells) {
        widths_.resize(std::max(widths_.size(), cells.size()), 0);
        for (std::string& cell : cells) cell = visible(cell);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths_[i] = std::max(widths_[i], width(cells[i]));
        }
        rows_.push_back(std::move(cells));
    }

    std::string text() const {
        std::string result;
        for (const std::vector<std::string>& cells : rows_) {
            std::string line;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                const std::string pad(widths_[i] - width(cells[i]), ' ');
                if (i > 0) line += "  ";
                line += i < left_ ? cells[i] + pad : pad + cells[i];
            }
            line.erase(line.find_last_not_of(' ') + 1);
            result += line + '\n';
        }
        return result;
    }

  private:
    // Counts UTF-8 characters, each one column wide.
    static std::size_t width(std::string_view text) {
        return static_cast<std::size_t>(
            std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xc0') != '\x80'; }));
    }

    std::size_t left_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace braid::cli
