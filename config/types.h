// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "braid/config/source_text.h"
#include "braid/config/yaml.h"

namespace braid {

/// A key of a configuration, described for messages and the reference.
struct KeyInfo {
    std::string path;           ///< "index.fields[].prefix"; [] stands for each list item.
    std::string values;         ///< Its values: "an integer from 1 to 240".
    std::string default_value;  ///< In YAML; "" if required or with keys of its own.
    bool required = false;
    std::string summary;        ///< One sentence.
    std::vector<KeyInfo> keys;  ///< Keys of a map, or of each map in a list.
};

/// All keys of a configuration, in the order in which they are written.
std::vector<KeyInfo> settings_keys();

/// The keys as Markdown: a section for each map, with a table of its keys.
std::string settings_reference();

}  // namespace braid

namespace braid::yaml {

/// How values of T are read, written and described. A plain value; each key declares one.
template <typename T>
struct Type {
    std::string values;  ///< The allowed values, for messages and the reference.
    /// Throws ConfigError.
    std::function<T(const Place&)> read;
    /// Throws InvalidArgument for a value that `read` would reject.
    std::function<Node(const T&)> write;
    std::vector<KeyInfo> keys = {};  ///< Paths begin at the value.
};

/// A signed or unsigned integer, as T is.
template <typename T>
Type<T> integer(T minimum, T maximum);

/// Finite, from `minimum` to `maximum`; written in the shortest form that reads back to the same
/// bits.
Type<double> number(double minimum = -std::numeric_limits<double>::max(),
                    double maximum = std::numeric_limits<double>::max());

/// true or false. Rejects yes, no, on and off, since YAML readers disagree on them.
Type<bool> boolean();

/// Any scalar, quoted or not.
Type<std::string> text(std::string values = "text");

/// One of a few words.
Type<std::string> word(std::vector<std::string> allowed);

/// An enumeration by its members' names.
template <typename Enum>
Type<Enum> choice(std::vector<std::pair<std::string, Enum>> members) {
    std::vector<std::string> names;
    names.reserve(members.size());
    for (const auto& member : members) names.push_back(member.first);
    Type<std::string> words = word(std::move(names));
    Type<Enum> type;
    type.values = words.values;
    type.read = [members, words](const Place& place) {
        const std::string name = words.read(place);
        Enum result = members.front().second;
        for (const auto& member : members) {
            if (member.first == name) result = member.second;
        }
        return result;
    };
    type.write = [members](const Enum& value) {
        Node node;
        for (const auto& member : members) {
            if (member.second == value) node = Node::scalar(member.first, false);
        }
        return node;
    };
    return type;
}

/// The comment above a key in a written file: meaning, allowed values, default.
std::string comment_of(const KeyInfo& key);

/// Puts `prefix` in front of the paths of `keys` and of all keys below them.
void prefix_paths(const std::string& prefix, std::vector<KeyInfo>& keys);

/// A list. Each item that is a map is written on one line if it fits. `items` is their name in
/// messages: "numbers".
template <typename T>
Type<std::vector<T>> list(Type<T> item, const std::string& items = "") {
    Type<std::vector<T>> type;
    type.values = "a list of " + (!items.empty()      ? items
                                  : item.keys.empty() ? item.values
                                                      : "maps");
    type.keys = item.keys;
    prefix_paths("[].", type.keys);
    type.read = [item, values = type.values](const Place& place) {
        // An empty value is not an empty list: the default may be meant.
        if (place.node().kind != Node::Kind::kList) place.fail(values + " ([] for none)");
        std::vector<T> result;
        for (std::size_t i = 0; i < place.node().items.size(); ++i) {
            result.push_back(item.read(place.item(i)));
        }
        return result;
    };
    type.write = [item](const std::vector<T>& values) {
        Node node = Node::list(item.keys.empty());
        for (const T& value : values) {
            node.items.push_back(item.write(value));
            node.items.back().flow = true;
        }
        return node;
    };
    return type;
}

/// A map whose keys are names that the schema doesn't know.
template <typename T>
Type<std::map<std::string, T>> dictionary(const std::string& values, Type<T> value) {
    Type<std::map<std::string, T>> type;
    type.values = values;
    type.read = [value, values](const Place& place) {
        if (place.node().kind != Node::Kind::kMap) place.fail(values + " ({} for none)");
        std::map<std::string, T> result;
        for (const Entry& entry : place.node().entries) {
            result.emplace(entry.key, value.read(place.entry(entry)));
        }
        return result;
    };
    type.write = [value](const std::map<std::string, T>& items) {
        Node node = Node::map(true);
        for (const auto& [key, item] : items) {
            node.entries.push_back({.key = key, .value = value.write(item)});
        }
        return node;
    };
    return type;
}

/// Parses a plain scalar of decimal digits without leading zeros. False for anything else and
/// beyond 64 bits.
bool parse_integer(const Node& node, std::int64_t& value);
bool parse_integer(const Node& node, std::uint64_t& value);

template <typename T>
Type<T> integer(T minimum, T maximum) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    Type<T> type;
    type.values = "an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum);
    type.read = [minimum, maximum, values = type.values](const Place& place) {
        Wide value = 0;
        if (!parse_integer(place.node(), value) || value < static_cast<Wide>(minimum) ||
            value > static_cast<Wide>(maximum)) {
            place.fail(values);
        }
        return static_cast<T>(value);
    };
    type.write = [](const T& value) { return Node::scalar(std::to_string(value), true); };
    return type;
}

}  // namespace braid::yaml
