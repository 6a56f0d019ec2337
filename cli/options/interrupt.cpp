// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/interrupt.h"

#include <csignal>

#include "braid/cli/options/command.h"

namespace braid::cli {
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
