// SPDX-License-Identifier: GPL-2.0-or-later
// What bench/peers/SearchSpeed.java searches: the words of a database, and search_speed's queries.
//
//   export_words DATABASE DOCUMENTS QUERIES [NUMBER [WORDS_FROM WORDS_TO]]
//
// Writes a line for each document, every word as often as it has it, and one for each query.
#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/bench/search_speed/random_queries.h"

namespace {

void write_documents(const Xapian::Database& database, const std::string& path) {
    std::ofstream out(path);
    for (auto posting = database.postlist_begin(""); posting != database.postlist_end("");
         ++posting) {
        const Xapian::docid docid = *posting;
        for (auto term = database.termlist_begin(docid); term != database.termlist_end(docid);
             ++term) {
            const std::string word = *term;
            if (word[0] >= 'A' && word[0] <= 'Z') continue;
            for (Xapian::termcount i = 0; i < term.get_wdf(); ++i) out << word << ' ';
        }
        out << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        fmt::print(
            stderr,
            "usage: export_words DATABASE DOCUMENTS QUERIES [NUMBER [WORDS_FROM WORDS_TO]]\n");
        return 2;
    }
    const Xapian::Database database(argv[1]);
    const std::size_t count = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 200;
    const std::size_t fewest = argc > 6 ? std::strtoul(argv[5], nullptr, 10) : 2;
    const std::size_t most = argc > 6 ? std::strtoul(argv[6], nullptr, 10) : 4;
    write_documents(database, argv[2]);
    braid::Random random;
    std::ofstream out(argv[3]);
    for (std::size_t i = 0; i < count; ++i) {
        const Xapian::Query query =
            braid::bench::random_query(database, random, fewest + random.below(most - fewest + 1));
        for (auto term = query.get_terms_begin(); term != query.get_terms_end(); ++term) {
            out << *term << ' ';
        }
        out << '\n';
    }
    return 0;
}
