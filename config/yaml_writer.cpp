// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/yaml_writer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/error.h"

namespace braid::yaml {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 2;

// Words that YAML 1.1 or 1.2 reads as something else than text, in lower case.
constexpr std::array<std::string_view, 10> kTakenWords = {"true", "false", "yes", "no",   "on",
                                                          "off",  "y",     "n",   "null", "nan"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool needs_no_quotes(const std::string& text) {
    if (text.empty() || !(is_letter(text[0]) || text[0] == '/' || text[0] == '_')) return false;
    std::string lower;
    for (const char c : text) {
        const bool harmless = is_letter(c) || (c >= '0' && c <= '9') ||
                              std::string_view("_-./+@").find(c) != std::string_view::npos;
        if (!harmless) return false;
        lower += is_letter(c) ? static_cast<char>(c | 0x20) : c;
    }
    return std::find(kTakenWords.begin(), kTakenWords.end(), lower) == kTakenWords.end();
}

// The code point of a sequence of `length` bytes that is known to be UTF-8.
unsigned code_point(std::string_view text, std::size_t at, std::size_t length) {
    if (length == 1) return static_cast<unsigned char>(text[at]);
    unsigned code = static_cast<unsigned char>(text[at]) & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    return code;
}

// What can't stand in double quotes as it is: what some reader takes for a line's end, what can't
// be seen, and quotes themselves.
bool must_escape(unsigned code) {
    return code < 0x20 || code == '"' || code == '\\' || (code >= 0x7F && code < 0xA0) ||
           code == 0x2028 || code == 0x2029 || code == 0xFEFF || code >= 0xFFFE;
}

std::string escaped(unsigned code) {
    switch (code) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\n':
            return "\\n";
        case '\t':
            return "\\t";
        default:
            break;
    }
    if (code < 0x100) return fmt::format("\\x{:02X}", code);
    return code < 0x10000 ? fmt::format("\\u{:04X}", code) : fmt::format("\\U{:08X}", code);
}

std::string scalar(const Node& node) {
    if (node.kind == Node::Kind::kEmpty) return "~";
    return node.plain ? node.text : quoted(node.text);
}

class Writer {
  public:
    explicit Writer(bool comments) : comments_(comments) {}

    std::string take() { return std::move(out_); }

    // The entries of a block map; the first goes to the current line if `inline_first`.
    void write_map(const Node& map, std::size_t indent, bool inline_first) {
        for (const Entry& entry : map.entries) {
            const std::string margin(indent, ' ');
            if (comments_ && !entry.comment.empty() && !inline_first) {
                if (indent == 0 && !out_.empty()) out_ += '\n';
                out_ += wrapped(entry.comment, margin + "# ");
            }
            if (!inline_first) out_ += margin;
            inline_first = false;
            const std::string key = quoted(entry.key) + ":";
            out_ += key;
            write_value(entry.value, indent, indent + key.size());
        }
    }

  private:
    // The value of a key that ends at `column`, with the line's end.
    void write_value(const Node& node, std::size_t indent, std::size_t column) {
        const bool container = !node.items.empty() || !node.entries.empty();
        if (!container || node.flow) {
            const std::string line = format_inline(node);
            if (!container || column + 1 + line.size() <= kWidth) {
                out_ += " " + line + "\n";
                return;
            }
        }
        out_ += '\n';
        if (node.kind == Node::Kind::kMap) write_map(node, indent + kIndent, false);
        for (const Node& item : node.items) write_item(item, indent + kIndent);
    }

    void write_item(const Node& item, std::size_t indent) {
        out_ += std::string(indent, ' ') + "- ";
        const std::string line = format_inline(item);
        const bool block = item.kind == Node::Kind::kMap && !item.entries.empty() &&
                           indent + 2 + line.size() > kWidth;
        if (block) {
            // What the keys of items mean stands once, above the list.
            const bool comments = std::exchange(comments_, false);
            write_map(item, indent + 2, true);
            comments_ = comments;
        } else {
            out_ += line + "\n";
        }
    }

    bool comments_;
    std::string out_;
};

}  // namespace

std::string quoted(const std::string& text) {
    if (needs_no_quotes(text)) return text;
    std::string result = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_sequence_length(text, i);
        if (length == 0) {
            throw InvalidArgument(fmt::format("found the byte 0x{:02X} in a text, expected UTF-8",
                                              static_cast<unsigned char>(text[i])));
        }
        const unsigned code = code_point(text, i, length);
        result += must_escape(code) ? escaped(code) : text.substr(i, length);
        i += length;
    }
    return result + "\"";
}

std::string wrapped(const std::string& text, const std::string& margin) {
    const std::size_t end_of_line = text.find('\n');
    if (end_of_line != std::string::npos) {
        return wrapped(text.substr(0, end_of_line), margin) +
               wrapped(text.substr(end_of_line + 1), margin);
    }
    std::string result;
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (!line.empty() && margin.size() + line.size() + 1 + word.size() > kWidth) {
            result += margin + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
        at = end + 1;
    }
    return result + margin + line + "\n";
}

std::string format_inline(const Node& node) {
    std::string result;
    if (node.kind == Node::Kind::kList) {
        for (const Node& item : node.items) {
            result += (result.empty() ? "" : ", ") + format_inline(item);
        }
        return "[" + result + "]";
    }
    if (node.kind == Node::Kind::kMap) {
        for (const Entry& entry : node.entries) {
            result += (result.empty() ? "" : ", ") + quoted(entry.key) + ": " +
                      format_inline(entry.value);
        }
        return "{" + result + "}";
    }
    return scalar(node);
}

std::string write(const Node& root, bool comments) {
    Writer writer(comments);
    writer.write_map(root, 0, false);
    return writer.take();
}

}  // namespace braid::yaml
