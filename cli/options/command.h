// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <functional>
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

/// Adds --quiet and --strict to that group of the command's options.
void add_message_flags(CLI::App& command, Session& session, const std::string& group = "Options");

/// Throws CLI::ValidationError for an empty option or argument, such as a script's unset variable,
/// which would otherwise count as not given.
void check_nothing_empty(const CLI::App& command);

/// Takes pairs of option and file. Throws CLI::ValidationError if two files are - (standard input):
/// the second reader would find it empty.
void check_standard_input(const std::vector<std::pair<std::string, std::string>>& files);

/// Each adds one subcommand to `app`, which sets `session.action` when chosen.
void add_adopt(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_eval(CLI::App& app, Session& session);
void add_features(CLI::App& app, Session& session);
void add_fuse(CLI::App& app, Session& session);
void add_index(CLI::App& app, Session& session);
void add_learner_lists(CLI::App& app, Session& session);  // learners, normalisers
void add_list_commands(CLI::App& app, Session& session);  // measures, rankers
void add_models(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_score(CLI::App& app, Session& session);
void add_search(CLI::App& app, Session& session);
void add_topics(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_with(CLI::App& app, Session& session);

/// What the command does under the name braid-tcpsrv: becomes xapian-tcpsrv, which takes the same
/// arguments, with Braid's classes registered, and vectors and postings in memory. Throws Error.
[[noreturn]] int run_tcpsrv(std::vector<std::string> arguments);

/// Makes the first Ctrl-C or SIGTERM request a stop (`interrupted`); a second one ends the process
/// at once.
void catch_interrupts();

/// The received signal, or 0.
int interrupting_signal();

}  // namespace braid::cli
