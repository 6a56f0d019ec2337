// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/commands.h"

int main(int argc, char** argv) {
    using namespace braid::bench;
    return run_program(argc, argv, "learner_quality",
                       "How well learned ensembles rank, by collection, beside published figures.",
                       {add_letor, add_letor_protocols, add_aggregation, add_diversity, add_texts,
                        add_known_items, add_bounds});
}
