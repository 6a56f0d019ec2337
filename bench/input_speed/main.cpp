// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/commands.h"

int main(int argc, char** argv) {
    using namespace braid::bench;
    return run_program(
        argc, argv, "input_speed",
        "Times reading, indexing and evaluating, beside other programs and plain loops.",
        {add_documents, add_files, add_index, add_evaluation});
}
