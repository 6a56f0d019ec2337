// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/core/base/text.h"

namespace braid::cli {

// All that the commands print goes through this file; a test refuses any other way.
//
// Text for people is made visible (core/base/text.h): names, texts, terms and messages come from
// databases, files and servers, and could command the terminal or pose as another line. Values
// become one line each; what is left of whole texts keeps its newlines.
//
// Data for programs is printed byte by byte. JSON says hidden characters as "\u202e", which is the
// same JSON.

/// In a text for print_text: where bold type begins and ends. Visible text has neither, and they
/// are dropped where standard output is no terminal or the user wants no colours.
inline constexpr char kBold = '\x01';
inline constexpr char kPlain = '\x02';

/// `value` as it may be shown within a line, where it is text.
template <typename Value>
auto within_line(const Value& value) {
    if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
        return visible(value);
    } else {
        return value;
    }
}

/// fmt::format of values that are each made visible as one line.
template <typename... Values>
std::string format_line(fmt::format_string<Values...> format, Values&&... values) {
    return std::apply(
        [&](const auto&... shown) {
            return fmt::vformat(fmt::string_view(format), fmt::make_format_args(shown...));
        },
        std::make_tuple(within_line(values)...));
}

/// Whole lines of text on standard output.
void print_text(std::string_view text);

template <typename... Values>
void print_formatted(fmt::format_string<Values...> format, Values&&... values) {
    print_text(format_line<Values...>(format, std::forward<Values>(values)...));
}

/// One line on standard error.
void tell(std::string_view line);

/// Shows `line` on standard error in place of what it showed before; "" clears it. For a terminal.
void show_status(std::string_view line);

/// On standard output.
void print_data(std::string_view bytes);

/// JSON and a newline on standard output. Bytes that are not UTF-8, which JSON can't hold, are
/// printed as U+FFFD and a warning says so. `indent` as for nlohmann::json::dump.
void print_json(const nlohmann::ordered_json& json, int indent = -1);

/// What print_json prints, for a file.
std::string json_text(const nlohmann::ordered_json& json, int indent);

/// Writes what is buffered of standard output. Returns why it failed, or "".
std::string flush_output();

/// Whether a write to standard output failed.
bool output_failed();

}  // namespace braid::cli
