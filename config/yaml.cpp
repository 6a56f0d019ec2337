// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/yaml.h"

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <set>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "braid/config/source_text.h"
#include "braid/core/base/text.h"
#include "braid/error.h"

namespace braid::yaml {
namespace {

class ViewBuffer : public std::streambuf {
  public:
    explicit ViewBuffer(std::string_view text) {
        // A streambuf wants pointers to non-const, and never writes through these.
        char* begin = const_cast<char*>(text.data());  // NOLINT
        setg(begin, begin, begin + text.size());
    }
};

std::size_t from_zero(int value) { return value > 0 ? static_cast<std::size_t>(value) : 0; }

// Builds the tree from yaml-cpp's events rather than from its nodes, which copy what an alias
// points to, keep the first of two equal keys, and forget where a key was.
class TreeBuilder : public YAML::EventHandler {
  public:
    explicit TreeBuilder(const SourceText& source) : source_(source) {}

    Node take() { return root_ ? std::move(*root_) : Node{}; }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (root_) {
            fail(mark,
                 "found a second document, or a line further left than the first; expected "
                 "one document");
        }
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        refuse_anchor(mark, anchor);
        add(start(Node::Kind::kEmpty, mark));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark, 1); }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        refuse_anchor(mark, anchor);
        refuse_tag(mark, tag);
        Node node = start(Node::Kind::kScalar, mark);
        node.text = value;
        node.plain = tag != "!";
        if (!node.plain) check_closed(mark);
        add(std::move(node));
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(Node::Kind::kList, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(Node::Kind::kMap, mark, tag, anchor);
    }
    void OnMapEnd() override { close(); }

  private:
    // A container that is not complete yet, with the key whose value comes next.
    struct Open {
        Node node;
        std::optional<Entry> key = {};
        std::set<std::string> keys = {};
    };

    [[noreturn]] void fail(const YAML::Mark& mark, const std::string& problem) const {
        source_.fail(position(mark), problem);
    }

    Position position(const YAML::Mark& mark) const {
        return source_.position(from_zero(mark.line), from_zero(mark.column));
    }

    Node start(Node::Kind kind, const YAML::Mark& mark) const {
        Node node;
        node.kind = kind;
        node.position = position(mark);
        return node;
    }

    void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
        if (anchor != YAML::NullAnchor) {
            fail(mark, "found an anchor or alias (& or *), expected the value itself");
        }
    }

    void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
        if (tag.empty() || tag == "?" || tag == "!") return;
        fail(mark, "found a tag (" + shown(tag) + "), expected a value without one");
    }

    // yaml-cpp takes the end of the file for a missing closing quote, and everything up to there
    // for the text.
    void check_closed(const YAML::Mark& mark) const {
        const std::string_view text = source_.text();
        std::size_t at = source_.offset(from_zero(mark.line), from_zero(mark.column));
        if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return;
        const char quote = text[at];
        for (++at; at < text.size(); ++at) {
            if (quote == '"' && text[at] == '\\') {
                ++at;
            } else if (text[at] == quote) {
                if (quote == '"' || at + 1 == text.size() || text[at + 1] != quote) return;
                ++at;
            }
        }
        fail(mark, fmt::format("found a {} that no other closes", quote));
    }

    void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
              YAML::anchor_t anchor) {
        refuse_anchor(mark, anchor);
        refuse_tag(mark, tag);
        if (open_.size() == kMaxDepth) {
            fail(mark, fmt::format("found lists and maps nested deeper than {}", kMaxDepth));
        }
        if (awaits_key()) fail(mark, "found a list or map as a key, expected a word");
        open_.push_back({start(kind, mark)});
    }

    void close() {
        Node node = std::move(open_.back().node);
        open_.pop_back();
        add(std::move(node));
    }

    bool awaits_key() const {
        return !open_.empty() && open_.back().node.kind == Node::Kind::kMap && !open_.back().key;
    }

    void add(Node node) {
        if (open_.empty()) {
            root_ = std::move(node);
        } else if (Open& container = open_.back(); container.node.kind == Node::Kind::kList) {
            container.node.items.push_back(std::move(node));
        } else if (!container.key) {
            add_key(container, node);
        } else {
            // yaml-cpp marks an empty value at whatever comes after it.
            if (node.kind == Node::Kind::kEmpty) node.position = container.key->position;
            container.key->value = std::move(node);
            container.node.entries.push_back(std::move(*container.key));
            container.key.reset();
        }
    }

    void add_key(Open& container, const Node& node) const {
        if (node.kind != Node::Kind::kScalar || node.text.empty()) {
            source_.fail(node.position, "found an empty key, expected a word");
        }
        if (!container.keys.insert(node.text).second) {
            std::size_t first = 0;
            for (const Entry& entry : container.node.entries) {
                if (entry.key == node.text) first = entry.position.line;
            }
            source_.fail(node.position,
                         fmt::format("found the key {} a second time (first in line {}), "
                                     "expected each key once",
                                     shown(node.text), first));
        }
        container.key = Entry{.key = node.text, .position = node.position};
    }

    const SourceText& source_;
    std::vector<Open> open_;
    std::optional<Node> root_;
};

// What yaml-cpp says of a text that is no YAML, with a hint where its words don't help.
std::string problem_of(const YAML::Exception& error, const SourceText& source) {
    // Newer versions add the name of the anchor.
    if (error.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR)) {
        return "found an alias (*), expected the value itself (put a text that begins with * in "
               "quotes)";
    }
    const std::string_view line = source.line(from_zero(error.mark.line));
    const std::string_view indentation = line.substr(0, line.find_first_not_of(" \t"));
    if (indentation.find('\t') != std::string_view::npos) {
        return "found a tab in the indentation, expected spaces";
    }
    if (error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW) return "found no }, expected one";
    if (error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW) return "found no ], expected one";
    std::string problem = "found what is not YAML: " + error.msg;
    if (error.msg == YAML::ErrorMsg::UNKNOWN_TOKEN) {
        problem += " (put a text that begins with a sign in quotes)";
    } else if (error.msg == YAML::ErrorMsg::MAP_VALUE) {
        problem += " (put a text with ': ' in quotes, and indent the keys of one map alike)";
    }
    return problem;
}

}  // namespace

Node parse(const SourceText& source) {
    ViewBuffer buffer(source.text());
    std::istream stream(&buffer);
    TreeBuilder builder(source);
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& error) {
        source.fail(source.position(from_zero(error.mark.line), from_zero(error.mark.column)),
                    problem_of(error, source));
    }
    return builder.take();
}

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
