// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/core/settings/limits.h"
#include "braid/progress.h"

namespace braid::cli {

/// Exit codes, as README.md documents them.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

/// Upper limit of --threads; 0 uses one per core.
inline constexpr int kMostThreads = 1024;

/// Options and streams that all commands share. Results go to standard output (output.h);
/// messages and progress go to standard error through this class.
class Session {
  public:
    bool quiet = false;   ///< --quiet: hides progress and notes, not warnings and errors.
    bool strict = false;  ///< --strict: warnings are errors.

    std::vector<std::string> arguments;  ///< The command line, the command's name first.

    std::vector<std::string> limit_texts;  ///< --limit, each "NAME=VALUE".
    Limits limits;                         ///< Limits for every reader.

    /// Sets `limits` to a configuration's; --limit takes precedence.
    void use_limits(const Limits& configured);

    /// The chosen subcommand's action; its callback sets it, main runs it after parsing.
    std::function<int()> action;

    /// A bar on a terminal, a line every few seconds in a pipe, nothing with --quiet. Returns
    /// false, which stops the work cleanly, after Ctrl-C or SIGTERM.
    Progress progress();

    /// Prints the first few warnings and counts them all; throws braid::Error with --strict.
    WarningSink warnings();

    /// One line on standard error, unless --quiet.
    void note(const std::string& text) const;

    /// Ends the bar's line and reports the number of suppressed warnings, if any.
    void finish();

    /// All warnings so far, including suppressed ones.
    const std::vector<std::string>& given_warnings() const { return given_warnings_; }

    /// Seconds since the session began.
    double seconds() const;

  private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::vector<std::string> given_warnings_;
    std::size_t warnings_ = 0;
    bool bar_shown_ = false;
    double last_shown_ = -1;
    std::string last_phase_;
};

/// True after Ctrl-C or SIGTERM.
bool interrupted();

/// Puts options that are added during its life into a group of the command's help.
class OptionGroup {
  public:
    OptionGroup(CLI::App& command, const std::string& name)
        : command_(command), before_(command.option_defaults()->get_group()) {
        command_.option_defaults()->group(name);
    }
    ~OptionGroup() { command_.option_defaults()->group(before_); }
    OptionGroup(const OptionGroup&) = delete;
    OptionGroup& operator=(const OptionGroup&) = delete;

  private:
    CLI::App& command_;
    std::string before_;
};

/// Adds an option, or an argument, that takes `value`, as help calls it: "FILE".
template <typename Target>
CLI::Option* add_value(CLI::App& command, const std::string& names, Target& target,
                       const std::string& value, const std::string& help) {
    return command.add_option(names, target, help)->type_name(value);
}
/// The same, to be repeated for several values.
template <typename Target>
CLI::Option* add_values(CLI::App& command, const std::string& names, Target& target,
                        const std::string& value, const std::string& help) {
    return add_value(command, names, target, value, help)->take_all()->allow_extra_args(false);
}

/// Adds an option that takes one of those words, each of which stands for a value of `target`.
template <typename Value>
CLI::Option* add_choice(CLI::App& command, const std::string& option, Value& target,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& help) {
    std::vector<std::string> words;
    words.reserve(choices.size());
    for (const auto& [word, value] : choices) words.push_back(word);
    const auto set = [&target, choices](const std::string& text) {
        for (const auto& [word, value] : choices) {
            if (word == text) target = value;
        }
    };
    return command.add_option_function<std::string>(option, set, help)
        ->check(CLI::IsMember(std::move(words)));
}

/// Adds --quiet and --strict.
void add_message_flags(CLI::App& command, Session& session);

/// Throws CLI::ValidationError for an empty option or argument, such as a script's unset variable,
/// which would otherwise count as not given.
void check_nothing_empty(const CLI::App& command);

/// Takes pairs of option and file. Throws CLI::ValidationError if two files are - (standard input):
/// the second reader would find it empty.
void check_standard_input(const std::vector<std::pair<std::string, std::string>>& files);

/// Adds one subcommand, or a few, to `app`; a chosen one sets `session.action`.
using AddCommand = void(CLI::App& app, Session& session);
AddCommand add_adopt, add_check, add_convert, add_eval, add_features, add_fuse, add_index,
    add_lists,  // learners, normalisers, measures, rankers
    add_models, add_run, add_score, add_search, add_topics, add_train, add_with;

/// Makes `run(command, session)` what the subcommand does, once `check(command)` has accepted the
/// call; that throws CLI's errors.
template <typename Command, typename Run, typename Check = void (*)(const Command&)>
void set_action(
    CLI::App& subcommand, Session& session, std::shared_ptr<Command> command, Run run,
    Check check = [](const Command&) {}) {
    subcommand.callback([&session, command = std::move(command), run, check] {
        check(*command);
        session.action = [&session, command, run] { return run(*command, session); };
    });
}

/// What the command does under the name braid-tcpsrv: becomes xapian-tcpsrv, which takes the same
/// arguments, with Braid's classes registered, and vectors and postings in memory. Throws Error.
[[noreturn]] int run_tcpsrv(std::vector<std::string> arguments);

/// Makes the first Ctrl-C or SIGTERM request a stop (`interrupted`); a second one ends the process
/// at once.
void catch_interrupts();

/// The received signal, or 0.
int interrupting_signal();

}  // namespace braid::cli
