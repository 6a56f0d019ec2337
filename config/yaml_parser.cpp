// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/yaml_parser.h"

#include <istream>
#include <optional>
#include <set>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "braid/core/base/text.h"

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

}  // namespace braid::yaml
