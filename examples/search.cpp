// SPDX-License-Identifier: GPL-2.0-or-later
// A learned ranking in a program that searches with Xapian already: one line differs.
//
//   search DATABASE WORD...
#include <iostream>

#include <xapian.h>

#include "braid/plugin/sources/fused_weight.h"

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    try {
        braid::FusionModel model;
        model.rankers = {{.ranker = "bm25", .weight = 0.7}, {.ranker = "lm-jm", .weight = 0.3}};
        Xapian::Database database(argv[1]);
        Xapian::Enquire enquire(database);
        enquire.set_weighting_scheme(braid::FusedWeight(model));
        enquire.set_query(Xapian::Query(Xapian::Query::OP_OR, argv + 2, argv + argc));
        const Xapian::MSet results = enquire.get_mset(0, 10);
        for (auto hit = results.begin(); hit != results.end(); ++hit) {
            std::cout << hit.get_weight() << ' ' << hit.get_document().get_data() << '\n';
        }
    } catch (const Xapian::Error& error) {
        std::cerr << error.get_description() << '\n';
        return 1;
    }
}
