// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "braid/error.h"
#include "braid/parameters.h"

namespace CLI {
class App;
}

namespace braid::bench {

/// What a command takes from its command line. A command derives a struct from this whose members
/// say what they are called there:
///
///     struct Options : Arguments {
///         std::string folder = required("FOLDER", &folder, "What export-counts wrote");
///         std::size_t threads = option("--threads", &threads, "Threads", 1);
///     };
///
/// `required` and `positional` are arguments in the order of the members, `option` is an option
/// whose default the help shows. Lists are written with commas between their parts, a bool is a
/// flag. Empty `allowed` admits every value.
class Arguments {
  public:
    using Place = std::variant<bool*, double*, std::size_t*, std::string*,
                               std::vector<std::size_t>*, std::vector<std::string>*>;
    enum class Kind { kRequired, kPositional, kOption };
    struct Argument {
        Kind kind;
        std::string name;
        Place place;
        std::string help;
        std::vector<std::string> allowed;
    };

    Arguments() = default;
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    const std::vector<Argument>& arguments() const { return arguments_; }

  protected:
    ~Arguments() = default;

    template <typename T>
    T required(const std::string& name, T* place, const std::string& help,
               const std::vector<std::string>& allowed = {}) {
        arguments_.push_back({Kind::kRequired, name, place, help, allowed});
        return {};
    }
    template <typename T>
    T positional(const std::string& name, T* place, const std::string& help) {
        arguments_.push_back({Kind::kPositional, name, place, help, {}});
        return {};
    }
    template <typename T>
    T option(const std::string& name, T* place, const std::string& help,
             std::type_identity_t<T> otherwise = {}, const std::vector<std::string>& allowed = {}) {
        arguments_.push_back({Kind::kOption, name, place, help, allowed});
        return otherwise;
    }

  private:
    std::vector<Argument> arguments_;
};

/// What the commands of a program add themselves to.
class Program {
  public:
    explicit Program(CLI::App& app) : app_(app) {}

    /// `Options` derives from Arguments; `work` is called with what the command line gave.
    template <typename Options>
    void add(const std::string& name, const std::string& about, void (*work)(const Options&)) {
        const auto options = std::make_shared<Options>();
        add(name, about, options->arguments(), [options, work] { work(*options); });
    }
    void add(const std::string& name, const std::string& about, std::function<void()> work) {
        add(name, about, {}, std::move(work));
    }

  private:
    void add(const std::string& name, const std::string& about,
             const std::vector<Arguments::Argument>& arguments, std::function<void()> work);

    CLI::App& app_;
};

/// A program whose first argument, the command, says what it measures: parses, runs the command and
/// returns the exit code, 1 for an error and 2 for wrong arguments. Prints errors to standard
/// error.
int run_program(int argc, char** argv, const std::string& name, const std::string& about,
                const std::vector<void (*)(Program&)>& commands);

/// "NAME=VALUE" in two. Throws InvalidArgument without both.
std::pair<std::string, std::string> name_and_value(const std::string& setting);

/// Adds NAME=VALUE to the parameters if the value is a number, else to the choices.
void add_setting(const std::string& setting, ParameterMap& parameters, ChoiceMap& choices);

/// Those of `all` whose name (`*NAME`) was asked for, in the order asked; all if none was. Throws
/// UnknownComponent for a name that is not there.
template <typename T>
std::vector<T> asked_of(std::vector<T> all, const std::vector<std::string>& names,
                        std::string T::*name) {
    if (names.empty()) return all;
    std::vector<T> asked;
    for (const std::string& wanted : names) {
        std::vector<std::string> known;
        const std::size_t before = asked.size();
        for (const T& one : all) {
            known.push_back(one.*name);
            if (one.*name == wanted) asked.push_back(one);
        }
        if (asked.size() == before) throw UnknownComponent("method", wanted, known);
    }
    return asked;
}

}  // namespace braid::bench
