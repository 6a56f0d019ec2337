// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/output/output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace braid::cli {
namespace {

bool shows_bold() {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
           std::string_view(terminal) != "dumb" && isatty(STDOUT_FILENO) != 0;
}

// Bold type as a terminal takes it, or without; never beyond its line.
std::string with_type(std::string_view text) {
    const bool bold = shows_bold();
    bool is_on = false;
    std::string result;
    for (const char c : text) {
        const bool ends = is_on && (c == kPlain || c == '\n');
        if (ends && bold) result += "\033[0m";
        if (c == kBold && bold) result += "\033[1m";
        if (c != kBold && c != kPlain) result += c;
        is_on = c == kBold || (is_on && !ends);
    }
    return result;
}

// "\u202e" for what visible() writes out: two of them beyond 16 bits.
std::string json_escape(std::string_view character) {
    const std::string escaped = nlohmann::json(std::string(character)).dump(-1, ' ', true);
    return escaped.substr(1, escaped.size() - 2);
}

}  // namespace

void print_text(std::string_view text) {
    constexpr char kKept[] = {'\n', kBold, kPlain, '\0'};
    fmt::print(stdout, "{}", with_type(visible(text, kKept)));
}

void tell(std::string_view line) { fmt::print(stderr, "{}\n", visible(line)); }

void show_status(std::string_view line) {
    fmt::print(stderr, "\r{}\033[K", visible(line));
    std::fflush(stderr);
}

void print_data(std::string_view bytes) { fmt::print(stdout, "{}", bytes); }

std::string json_text(const nlohmann::ordered_json& json, int indent) {
    using Handler = nlohmann::ordered_json::error_handler_t;
    const std::string text = json.dump(indent, ' ', false, Handler::replace);
    if (visible(text, "\n") == text) return text + "\n";
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_sequence_length(text, i);
        const std::string_view character = std::string_view(text).substr(i, length);
        const bool hidden = character != "\n" && visible(character) != character;
        result += hidden ? json_escape(character) : std::string(character);
        i += length;
    }
    return result + "\n";
}

void print_json(const nlohmann::ordered_json& json, int indent) {
    print_data(json_text(json, indent));
    try {
        json.dump();
    } catch (const nlohmann::json::type_error&) {
        tell("warning: JSON can't hold bytes that are not UTF-8; they are printed as U+FFFD");
    }
}

std::string flush_output() {
    errno = 0;
    return std::fflush(stdout) != 0 || output_failed() ? std::strerror(errno) : "";
}

bool output_failed() { return std::ferror(stdout) != 0; }

}  // namespace braid::cli
