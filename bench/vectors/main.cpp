// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/commands.h"

int main(int argc, char** argv) {
    using namespace braid::bench;
    return run_program(argc, argv, "vectors",
                       "Times products with stored vectors, and measures what codes cost.",
                       {add_products, add_pruning, add_codes});
}
