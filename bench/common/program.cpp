// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/common/program.h"

#include <cstdlib>
#include <memory>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <xapian.h>

#include "braid/cli/output/usage.h"

namespace braid::bench {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

template <typename T>
constexpr bool kIsList =
    std::is_same_v<T, std::vector<std::size_t>> || std::is_same_v<T, std::vector<std::string>>;

template <typename T>
void add_to(CLI::App& command, const Arguments::Argument& argument, T& place) {
    if constexpr (std::is_same_v<T, bool>) {
        command.add_flag(argument.name, place, argument.help);
    } else {
        using Kind = Arguments::Kind;
        CLI::Option* option = command.add_option(argument.name, place, argument.help);
        option->required(argument.kind == Kind::kRequired);
        if (argument.kind == Kind::kOption) option->capture_default_str();
        // An argument that may be left out is a list of files, whose names may have commas.
        if (kIsList<T> && argument.kind != Kind::kPositional) option->delimiter(',');
        if (kIsList<T> && argument.kind == Kind::kOption) option->allow_extra_args(false);
        if (!argument.allowed.empty()) option->check(CLI::IsMember(argument.allowed));
    }
}

}  // namespace

void Program::add(const std::string& name, const std::string& about,
                  const std::vector<Arguments::Argument>& arguments, std::function<void()> work) {
    CLI::App* command = app_.add_subcommand(name, about);
    for (const Arguments::Argument& argument : arguments) {
        std::visit([&](auto* place) { add_to(*command, argument, *place); }, argument.place);
    }
    command->callback(std::move(work));
}

int run_program(int argc, char** argv, const std::string& name, const std::string& about,
                const std::vector<void (*)(Program&)>& commands) {
    CLI::App app(about, name);
    app.formatter(std::make_shared<cli::HelpFormatter>());
    app.require_subcommand(1);
    Program program(app);
    for (const auto add_to_program : commands) add_to_program(program);
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // Of --help.
        for (const std::string& line : cli::usage_error(app, error)) {
            fmt::print(stderr, "{}\n", line);
        }
        return kUsage;
    } catch (const Xapian::Error& error) {  // Does not derive from std::exception.
        fmt::print(stderr, "{}: {}\n", name, error.get_description());
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
    }
    return kFailed;
}

std::pair<std::string, std::string> name_and_value(const std::string& setting) {
    const std::size_t at = setting.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == setting.size()) {
        throw InvalidArgument("'" + setting + "': expected NAME=VALUE");
    }
    return {setting.substr(0, at), setting.substr(at + 1)};
}

void add_setting(const std::string& setting, ParameterMap& parameters, ChoiceMap& choices) {
    const auto [name, value] = name_and_value(setting);
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (*end == '\0') {
        parameters[name] = number;
    } else {
        choices[name] = value;
    }
}

}  // namespace braid::bench
