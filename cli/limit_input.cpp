// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/limit_input.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/error.h"

namespace braid::cli {
namespace {

// "line [16777216]: Bytes in a line ..."
std::string help_of(const std::vector<std::string>& names) {
    std::string text = "How much one input may take, may be repeated; NAME is";
    for (const std::string& name : names) {
        text += fmt::format("{} {} [{}]", name == names.front() ? "" : ",", name,
                            Limits{}.*limit_infos().find(name).value);
    }
    return text;
}

}  // namespace

void set_limit(const std::string& text, Limits& limits) {
    const std::size_t equals = text.find('=');
    const LimitInfo* info = nullptr;
    try {
        info = &limit_infos().find(text.substr(0, equals));
    } catch (const UnknownComponent& error) {
        throw CLI::ValidationError(std::string("--limit: ") + error.what());
    }
    const char* const begin = text.data() + std::min(equals, text.size() - 1) + 1;
    const char* const end = text.data() + text.size();
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end || value < info->minimum || value > info->maximum) {
        throw CLI::ValidationError(fmt::format("--limit {}: expected {}=NUMBER from {} to {}", text,
                                               info->name, info->minimum, info->maximum));
    }
    limits.*info->value = value;
}

void add_limits(CLI::App& command, Session& session, std::vector<std::string> names) {
    const std::string called = command.get_name();
    command.add_option("--limit", session.limit_texts, help_of(names))
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false)
        ->check([names = std::move(names), called](const std::string& text) -> std::string {
            Limits limits;
            try {
                set_limit(text, limits);
            } catch (const CLI::ValidationError& error) {
                return error.what();
            }
            const std::string name = text.substr(0, text.find('='));
            if (std::find(names.begin(), names.end(), name) != names.end()) return "";
            return fmt::format("--limit {}: braid {} has no such limit, expected {}", text, called,
                               fmt::join(names, ", "));
        });
}

}  // namespace braid::cli
