// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace braid::yaml {

class SourceText;

/// A position in a YAML text, as editors count: from 1, columns in characters.
struct Position {
    std::size_t line = 1;
    std::size_t column = 1;
};

struct Entry;

/// A node of a YAML document, parsed or to be written. A tree without aliases, so its size is
/// bounded by the text's.
struct Node {
    enum class Kind { kEmpty, kScalar, kList, kMap };
    Kind kind = Kind::kEmpty;

    std::string text = {};  ///< A scalar's.
    /// Reading: an unquoted scalar, which may be a number or true. Writing: it is one.
    bool plain = false;
    std::vector<Node> items;     ///< A list's.
    std::vector<Entry> entries;  ///< A map's, in the order of the text. Keys are unique.

    Position position = {};  ///< Its start; for an empty value, its key's position.
    /// Writing: on one line as {a: 1} or [a, b], if it fits.
    bool flow = false;

    static Node scalar(std::string text, bool plain);
    static Node list(bool flow);
    static Node map(bool flow);
};

/// One key of a map.
struct Entry {
    std::string key = {};
    Node value = {};
    Position position = {};    ///< The key's.
    std::string comment = {};  ///< Writing: the line above the key.
};

inline Node Node::scalar(std::string text, bool plain) {
    Node node;
    node.kind = Kind::kScalar;
    node.text = std::move(text);
    node.plain = plain;
    return node;
}

inline Node Node::list(bool flow) {
    Node node;
    node.kind = Kind::kList;
    node.flow = flow;
    return node;
}

inline Node Node::map(bool flow) {
    Node node;
    node.kind = Kind::kMap;
    node.flow = flow;
    return node;
}

/// Whether a map has the key; false for a node of another kind.
inline bool has_entry(const Node& node, const std::string& key) {
    return std::any_of(node.entries.begin(), node.entries.end(),
                       [&](const Entry& entry) { return entry.key == key; });
}

/// Maximum nesting of containers; settings need 6.
inline constexpr std::size_t kMaxDepth = 20;

/// The one document of `source`; an empty node for a text without one. Throws ConfigError for
/// invalid YAML, and for YAML that settings don't use: a second document, a key that is repeated or
/// not a scalar, anchors and aliases (a short file could expand to gigabytes, and a reader would
/// see only one of two places), tags, and more depth than kMaxDepth.
Node parse(const SourceText& source);

/// The map `root` as a YAML document, with the comments of its entries if `comments`. `parse`
/// returns an equal tree. Lines end before column 100 if words allow. Throws InvalidArgument for a
/// text that is not UTF-8, which YAML can't hold.
std::string write(const Node& root, bool comments);

/// The node on one line: "[a, {b: 1}]".
std::string format_inline(const Node& node);

/// `text` as a scalar that every YAML reader reads as text: in double quotes, unless it is a word
/// that can't be read as a number, a truth value, a date or null.
std::string quoted(const std::string& text);

/// `text` in lines of at most 100 columns, each after `margin`. Keeps existing line breaks.
std::string wrapped(const std::string& text, const std::string& margin);

}  // namespace braid::yaml
