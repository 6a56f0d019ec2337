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

// Commands print through this file only; a test enforces that.
//
// Text for people is made visible (core/base/text.h): names, texts, terms and messages come from
// databases, files and servers, and could control the terminal or imitate another line. Values
// become one line each; whole texts keep their newlines.
//
// Data for programs is printed byte for byte. JSON escapes hidden characters as "\u202e", which is
// equivalent.

/// Marks for bold type in print_text's text. Visible text has neither; they are dropped if standard
/// output is not a terminal or the user wants no colours.
inline constexpr char kBold = '\x01';
inline constexpr char kPlain = '\x02';

/// `value` safe to print within a line, if it is text.
template <typename Value>
auto within_line(const Value& value) {
    if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
        return visible(value);
    } else {
        return value;
    }
}

/// fmt::format with each value made visible as one line.
template <typename... Values>
std::string format_line(fmt::format_string<Values...> format, Values&&... values) {
    return std::apply(
        [&](const auto&... shown) {
            return fmt::vformat(fmt::string_view(format), fmt::make_format_args(shown...));
        },
        std::make_tuple(within_line(values)...));
}

/// Prints whole lines of text on standard output.
void print_text(std::string_view text);

template <typename... Values>
void print_formatted(fmt::format_string<Values...> format, Values&&... values) {
    print_text(format_line<Values...>(format, std::forward<Values>(values)...));
}

/// Prints one line on standard error.
void tell(std::string_view line);

/// One line on standard error for a process that has no memory left; takes none.
void tell_out_of_memory() noexcept;

/// Replaces the status line on standard error; "" clears it. For a terminal.
void show_status(std::string_view line);

/// Prints on standard output.
void print_data(std::string_view bytes);

/// Prints JSON and a newline on standard output. JSON can't hold bytes that are not UTF-8; they are
/// printed as U+FFFD, with a warning. `indent` as for nlohmann::json::dump.
void print_json(const nlohmann::ordered_json& json, int indent = -1);

/// The text that print_json prints, for a file.
std::string json_text(const nlohmann::ordered_json& json, int indent);

/// A number, or null for infinity and NaN, which JSON doesn't have.
nlohmann::ordered_json finite_json(double value);

/// A measure's value, and a difference of two with its sign, to four decimals.
std::string four_places(double value);
std::string signed_four_places(double value);

/// Flushes standard output. Returns the reason for a failure, or "".
std::string flush_output();

/// Whether a write to standard output failed.
bool output_failed();

/// Throws Error if `write_file` could not write `path`, so that long work fails before it begins.
void check_writable(const std::string& path);

/// Writes a new file beside `path`, syncs it and renames it to `path`, so that a reader always sees
/// the old text or the new one. Writes to devices directly. Throws Error.
void write_file(const std::string& path, std::string_view text);

/// Adds whole lines at the end of a file in one step, behind `header` if it is new or empty, so
/// that processes can write to one log. Throws Error.
void append_to_log(const std::string& path, std::string_view header, std::string_view lines);

}  // namespace braid::cli
