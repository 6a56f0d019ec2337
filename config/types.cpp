// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/types.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/error.h"

namespace braid::yaml {
namespace {

template <typename Integer>
bool parse_decimal(const Node& node, Integer& value) {
    if (node.kind != Node::Kind::kScalar || !node.plain) return false;
    const std::string_view text = node.text;
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    // 010 is eight to some readers of YAML and ten to others.
    if (digits.size() > 1 && digits[0] == '0') return false;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
}

bool parse_number(const Node& node, double& value) {
    if (node.kind != Node::Kind::kScalar || !node.plain) return false;
    std::string_view text = node.text;
    // from_chars would take "inf", "nan" and hexadecimal digits.
    if (text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return false;
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with("-+")) return false;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
}

// "a number", "a number of at least 0", "a number from 0 to 1".
std::string number_values(double minimum, double maximum) {
    const double most = std::numeric_limits<double>::max();
    if (maximum < most) return fmt::format("a number from {} to {}", minimum, maximum);
    return minimum > -most ? fmt::format("a number of at least {}", minimum) : "a number";
}

}  // namespace

void prefix_paths(const std::string& prefix, std::vector<KeyInfo>& keys) {
    for (KeyInfo& key : keys) {
        key.path.insert(0, prefix);
        prefix_paths(prefix, key.keys);
    }
}

std::string comment_of(const KeyInfo& key) {
    if (key.keys.empty()) {
        const std::string initial = key.required ? "required" : "default " + key.default_value;
        return fmt::format("{} ({}; {})", key.summary, key.values, initial);
    }
    std::string comment = key.summary;
    if (!key.keys.front().path.starts_with("[]")) return comment;
    for (const KeyInfo& each : key.keys) {
        KeyInfo of_item = each;
        of_item.keys.clear();
        comment += "\n- " + each.path.substr(each.path.find('.') + 1) + ": " + comment_of(of_item);
    }
    return comment;
}

bool parse_integer(const Node& node, std::int64_t& value) { return parse_decimal(node, value); }
bool parse_integer(const Node& node, std::uint64_t& value) { return parse_decimal(node, value); }

Type<double> number(double minimum, double maximum) {
    Type<double> type;
    type.values = number_values(minimum, maximum);
    type.read = [minimum, maximum, values = type.values](const Place& place) {
        double value = 0;
        if (!parse_number(place.node(), value) || !(value >= minimum && value <= maximum)) {
            place.fail(values);
        }
        return value;
    };
    type.write = [minimum, maximum, values = type.values](const double& value) {
        if (!(value >= minimum && value <= maximum)) {
            throw InvalidArgument(fmt::format("found {}, expected {}", value, values));
        }
        return Node::scalar(fmt::format("{}", value), true);
    };
    return type;
}

Type<bool> boolean() {
    Type<bool> type;
    type.values = "true or false";
    type.read = [values = type.values](const Place& place) {
        const Node& node = place.node();
        const std::string word = node.kind == Node::Kind::kScalar && node.plain ? node.text : "";
        if (word != "true" && word != "false") {
            const std::string near =
                nearest_word(word, {"true", "yes", "off", "on", "no", "false"});
            const bool positive = near == "yes" || near == "on" || near == "true";
            place.fail(values + (near.empty() ? ""
                                 : positive   ? "; did you mean 'true'?"
                                              : "; did you mean 'false'?"));
        }
        return word == "true";
    };
    type.write = [](const bool& value) { return Node::scalar(value ? "true" : "false", true); };
    return type;
}

Type<std::string> text(std::string values) {
    Type<std::string> type;
    type.values = std::move(values);
    type.read = [values = type.values](const Place& place) {
        if (place.node().kind != Node::Kind::kScalar) place.fail(values);
        return place.node().text;
    };
    type.write = [](const std::string& value) { return Node::scalar(value, false); };
    return type;
}

Type<std::string> word(std::vector<std::string> allowed) {
    Type<std::string> type;
    type.values = comma_list(allowed);
    type.read = [allowed = std::move(allowed), values = type.values](const Place& place) {
        const Node& node = place.node();
        for (const std::string& name : allowed) {
            if (node.kind == Node::Kind::kScalar && node.text == name) return name;
        }
        place.fail(values, allowed);
    };
    type.write = [](const std::string& value) { return Node::scalar(value, false); };
    return type;
}

}  // namespace braid::yaml
