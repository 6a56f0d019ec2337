// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/command.h"

namespace braid::cli {

void add_eval(CLI::App&, Session&) {}

}  // namespace braid::cli
