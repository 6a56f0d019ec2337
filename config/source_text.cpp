// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/source_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/base/text.h"

namespace braid::yaml {
namespace {

constexpr std::size_t kMaxBracketDepth = 1000;

bool is_forbidden(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '\r') return at + 1 == text.size() || text[at + 1] != '\n';
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
}

}  // namespace

SourceText::SourceText(std::string_view text, const std::string& file)
    : text_(text), file_(file), line_starts_{0} {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (text_.size() > kMaxTextSize) {
        fail({}, fmt::format("found {} bytes, expected at most {}", text_.size(), kMaxTextSize));
    }
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (text_[i] == '\n') line_starts_.push_back(i + 1);
    }
    check();
}

void SourceText::check() const {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text_.size();) {
        const std::size_t length = utf8_sequence_length(text_, i);
        const auto byte = static_cast<unsigned char>(text_[i]);
        if (length == 0) {
            fail_at(i, fmt::format("found the byte 0x{:02X}, expected UTF-8", byte));
        }
        if (is_forbidden(text_, i)) {
            fail_at(i, fmt::format("found the control character 0x{:02X}, expected text", byte));
        }
        // Counts brackets in quotes and comments too: no text that is meant has so many.
        if (byte == '[' || byte == '{') {
            if (++depth > kMaxBracketDepth) fail_at(i, "found brackets nested too deep");
        } else if ((byte == ']' || byte == '}') && depth > 0) {
            --depth;
        }
        i += length;
    }
}

std::string_view SourceText::line(std::size_t line) const {
    if (line >= line_starts_.size()) return "";
    const std::size_t start = line_starts_[line];
    const std::size_t end =
        line + 1 < line_starts_.size() ? line_starts_[line + 1] - 1 : text_.size();
    return text_.substr(start, end - start);
}

std::size_t SourceText::offset(std::size_t line, std::size_t byte) const {
    if (line >= line_starts_.size()) return text_.size();
    return std::min(line_starts_[line] + byte, text_.size());
}

Position SourceText::position(std::size_t line, std::size_t byte) const {
    line = std::min(line, line_starts_.size() - 1);
    const std::string_view before = this->line(line).substr(0, byte);
    const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    return {line + 1, static_cast<std::size_t>(characters) + 1};
}

void SourceText::fail(Position position, const std::string& problem) const {
    throw ConfigError(fmt::format("{}:{}:{}: {}", file_, position.line, position.column, problem));
}

void SourceText::fail_at(std::size_t offset, const std::string& problem) const {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    const auto line = static_cast<std::size_t>(after - line_starts_.begin()) - 1;
    fail(position(line, offset - line_starts_[line]), problem);
}

}  // namespace braid::yaml
