// SPDX-License-Identifier: GPL-2.0-or-later
// A database's own model in a program that searches with Xapian already: one line sets the query.
//
//   braid adopt --db DATABASE --install
//   search DATABASE WORD...
#include <iostream>

#include <xapian.h>

#include "braid/ranking.h"

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    try {
        const Xapian::Database database(argv[1]);
        const Xapian::Query query(Xapian::Query::OP_OR, argv + 2, argv + argc);
        Xapian::Enquire enquire(database);
        braid::Ranking ranking(database);
        ranking.apply(enquire, query);  // Instead of enquire.set_query(query).
        const Xapian::MSet results = enquire.get_mset(0, 10);
        for (auto hit = results.begin(); hit != results.end(); ++hit) {
            std::cout << hit.get_weight() << ' ' << hit.get_document().get_data() << '\n';
        }
    } catch (const braid::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    } catch (const Xapian::Error& error) {
        std::cerr << error.get_description() << '\n';
        return 1;
    }
}
