// SPDX-License-Identifier: GPL-2.0-or-later
// What bench/peers/SearchSpeed.java searches: the words of a database, and the queries of the
// command `searcher`.
//
// Writes a line for each document, every word as often as it has it, and one for each query.
#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/bench/commands.h"
#include "braid/bench/search_speed/random_queries.h"
#include "braid/error.h"

namespace braid::bench {
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
    if (!out.flush()) throw braid::Error(path + ": can't be written");
}

struct Options : QueryOptions {
    std::string database = required("DATABASE", &database, "A database");
    std::string documents = required("DOCUMENTS", &documents, "The file for documents' words");
    std::string queries = required("QUERIES", &queries, "The file for queries' words");
};

void write_files(const Options& options) {
    const Xapian::Database database(options.database);
    write_documents(database, options.documents);
    std::ofstream out(options.queries);
    for (const Xapian::Query& query : random_queries(database, options)) {
        for (auto term = query.get_terms_begin(); term != query.get_terms_end(); ++term) {
            out << *term << ' ';
        }
        out << '\n';
    }
    if (!out.flush()) throw braid::Error(options.queries + ": can't be written");
}

}  // namespace

void add_export(Program& program) {
    program.add("export", "Write what bench/peers/SearchSpeed.java searches", write_files);
}

}  // namespace braid::bench
