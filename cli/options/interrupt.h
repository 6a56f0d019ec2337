// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace braid::cli {

/// From now on the first Ctrl-C or SIGTERM only asks the work to stop (`interrupted`); a second
/// one ends the process at once.
void catch_interrupts();

/// The signal that asked, or 0.
int interrupting_signal();

}  // namespace braid::cli
