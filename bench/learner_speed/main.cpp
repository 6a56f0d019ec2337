// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/commands.h"

int main(int argc, char** argv) {
    using namespace braid::bench;
    return run_program(argc, argv, "learner_speed",
                       "Times learners and what they learn, beside other libraries.",
                       {add_fit, add_gradients, add_growth,
#ifdef BRAID_HAVE_LIBLINEAR
                        add_pairs,
#endif
                        add_query_weights, add_trees});
}
