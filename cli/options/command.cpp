// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/command.h"

#include <chrono>
#include <csignal>
#include <unistd.h>

#include <fmt/core.h>

#include "braid/cli/options/query_input.h"
#include "braid/cli/output/output.h"
#include "braid/error.h"

namespace braid::cli {
namespace {

constexpr std::size_t kWarningsShown = 10;

double seconds_now() {
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

std::string bar_text(const ProgressReport& report, bool terminal) {
    std::string text = report.phase;
    if (report.total > 0) {
        const double share = static_cast<double>(report.done) / static_cast<double>(report.total);
        if (terminal) {
            const auto filled = static_cast<std::size_t>(share * 24);
            text += fmt::format(" [{:<24}]", std::string(filled < 24 ? filled : 24, '#'));
        }
        text += fmt::format(" {:3.0f} %", 100 * share);
    }
    text += fmt::format(" {} {}", report.done, report.unit);
    if (!report.detail.empty()) text += ", " + report.detail;
    return text;
}

}  // namespace

void add_message_flags(CLI::App& command, Session& session) {
    command.add_flag("--quiet,-q", session.quiet,
                     "Hide progress and notes; show warnings and errors");
    command.add_flag("--strict", session.strict, "Treat warnings as errors");
}

void check_nothing_empty(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        const bool may_be_bare = option->get_items_expected_min() == 0;
        for (const std::string& value : option->results()) {
            if (value.empty() && !may_be_bare) {
                throw CLI::ValidationError(option->get_name() + ": found '', expected a value");
            }
        }
    }
}

void check_standard_input(const std::vector<std::pair<std::string, std::string>>& files) {
    std::string first;
    for (const auto& [option, file] : files) {
        if (file != "-") continue;
        if (!first.empty()) {
            throw CLI::ValidationError(fmt::format(
                "{} and {} both read standard input, expected one of them", first, option));
        }
        first = option;
    }
}

void Session::use_limits(const Limits& configured) {
    limits = configured;
    for (const std::string& text : limit_texts) set_limit(text, limits);
}

Progress Session::progress() {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    return [this, terminal](const ProgressReport& report) {
        if (interrupted()) return false;
        if (quiet) return true;
        const double now = seconds_now();
        // In a pipe the first report of a phase is silent: short work leaves no lines.
        if (report.phase != last_phase_) {
            last_phase_ = report.phase;
            last_shown_ = terminal ? 0 : now;
        }
        if (now - last_shown_ < (terminal ? 0.1 : 5.0)) return true;
        last_shown_ = now;
        const std::string text = bar_text(report, terminal);
        if (terminal) {
            show_status(text);
        } else {
            tell(text);
        }
        bar_shown_ = terminal;
        return true;
    };
}

WarningSink Session::warnings() {
    return [this](const std::string& message) {
        if (strict) throw Error(message + " (--strict)");
        if (bar_shown_) show_status("");
        given_warnings_.push_back(message);
        if (++warnings_ <= kWarningsShown) tell("warning: " + message);
    };
}

void Session::note(const std::string& text) const {
    if (!quiet) tell(text);
}

double Session::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

void Session::finish() {
    if (bar_shown_) show_status("");
    bar_shown_ = false;
    if (warnings_ > kWarningsShown) {
        tell(fmt::format("warning: {} more like these", warnings_ - kWarningsShown));
    }
    warnings_ = 0;
}

namespace {

volatile std::sig_atomic_t received = 0;

void on_signal(int signal) {
    received = signal;
    std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
}

int interrupting_signal() { return received; }

bool interrupted() { return received != 0; }

}  // namespace braid::cli
