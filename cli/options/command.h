// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/core/base/progress.h"
#include "braid/core/settings/limits.h"

namespace braid::cli {

/// Exit codes of the contract in README.md.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

/// Of --threads, where 0 is as many as the machine has.
inline constexpr int kMostThreads = 1024;

/// What every command shares: the options that all have, and the streams. Results go to standard
/// output (output.h); words and progress to standard error through this class.
class Session {
  public:
    bool quiet = false;   ///< --quiet: no progress, no notes; warnings and errors stay.
    bool strict = false;  ///< --strict: a warning is an error.

    std::vector<std::string> arguments;  ///< As the command was called, its name first.

    std::vector<std::string> limit_texts;  ///< --limit, each "NAME=VALUE".
    Limits limits;                         ///< What is read heeds these.

    /// Makes `limits` those of a configuration, but for what --limit says.
    void use_limits(const Limits& configured);

    /// What the chosen subcommand does; set by its callback, run by main after parsing.
    std::function<int()> action;

    /// A bar on a terminal, a line every few seconds in a pipe, nothing with --quiet. Returns
    /// false, which stops the work cleanly, once Ctrl-C or SIGTERM was received.
    Progress progress();

    /// Prints the first few warnings and counts them all; throws braid::Error with --strict.
    WarningSink warnings();

    /// One line on standard error, unless --quiet.
    void note(const std::string& text) const;

    /// Ends the bar's line and, where warnings were swallowed, says how many there were.
    void finish();

    /// All warnings so far, those that were not shown, too.
    const std::vector<std::string>& given_warnings() const { return given_warnings_; }

    /// Since the session began.
    double seconds() const;

  private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::vector<std::string> given_warnings_;
    std::size_t warnings_ = 0;
    bool bar_shown_ = false;
    double last_shown_ = -1;
    std::string last_phase_;
};

/// True once Ctrl-C or SIGTERM was received.
bool interrupted();

/// Throws CLI::ValidationError for an option or argument that was given as "": what a script's
/// unset variable becomes, which would count as not given.
void check_nothing_empty(const CLI::App& command);

/// Options and the file each was given, for those that take - for standard input. Throws
/// CLI::ValidationError where two of them do: the second would find it empty.
void check_standard_input(const std::vector<std::pair<std::string, std::string>>& files);

/// Each adds one subcommand to `app` and, when that is chosen, sets `session.action`.
void add_adopt(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_eval(CLI::App& app, Session& session);
void add_features(CLI::App& app, Session& session);
void add_fuse(CLI::App& app, Session& session);
void add_index(CLI::App& app, Session& session);
void add_learner_lists(CLI::App& app, Session& session);  // learners, normalisers
void add_list_commands(CLI::App& app, Session& session);  // measures, rankers
void add_run(CLI::App& app, Session& session);
void add_score(CLI::App& app, Session& session);
void add_search(CLI::App& app, Session& session);
void add_topics(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);

/// From now on the first Ctrl-C or SIGTERM only asks the work to stop (`interrupted`); a second
/// one ends the process at once.
void catch_interrupts();

/// The signal that asked, or 0.
int interrupting_signal();

}  // namespace braid::cli
