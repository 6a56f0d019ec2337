// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/commands.h"

int main(int argc, char** argv) {
    using namespace braid::bench;
    return run_program(argc, argv, "search_speed",
                       "Times searches, whole and in parts, beside plain Xapian.",
                       {add_searcher, add_hybrid, add_fused_weight, add_fused_source, add_logged,
                        add_once, add_pools, add_servers, add_export});
}
