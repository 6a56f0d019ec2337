// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

namespace braid::bench {

/// The parts of a text between separators; empty ones, too.
inline std::vector<std::string> split(const std::string& text, char separator = ',') {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

}  // namespace braid::bench
