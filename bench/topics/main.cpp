// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/commands.h"

int main(int argc, char** argv) {
    using namespace braid::bench;
    return run_program(argc, argv, "topics",
                       "Time, memory and quality of topic models, beside other libraries.",
                       {add_exports, add_svd, add_lda, add_plsi, add_scale, add_quality});
}
