// SPDX-License-Identifier: GPL-2.0-or-later
// A small database for the examples, made by Xapian alone: one document for each line of standard
// input.
//
//   make_database DATABASE < LINES
#include <iostream>
#include <string>

#include <xapian.h>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        Xapian::WritableDatabase database(argv[1], Xapian::DB_CREATE_OR_OVERWRITE);
        Xapian::TermGenerator generator;
        for (std::string line; std::getline(std::cin, line);) {
            Xapian::Document document;
            generator.set_document(document);
            generator.index_text(line);
            document.set_data(line);
            database.add_document(document);
        }
        database.commit();
    } catch (const Xapian::Error& error) {
        std::cerr << error.get_description() << '\n';
        return 1;
    }
}
