// SPDX-License-Identifier: GPL-2.0-or-later
// Run by scripts/valgrind: searches DATABASE for each QUERY among every kind of candidates, with
// explanations, and ends. Fails if a query finds no document.
//
//   search_words DATABASE QUERY...
#include "braid/searcher.h"

int main(int argc, char** argv) {
    using Candidates = braid::SearchSettings::Candidates;
    if (argc < 3) return 2;
    braid::Searcher searcher{Xapian::Database(argv[1])};
    for (int i = 2; i < argc; ++i) {
        for (const auto candidates : {Candidates::kWords, Candidates::kAll, Candidates::kHybrid}) {
            braid::SearchRequest request;
            request.text = argv[i];
            request.candidates = candidates;
            request.explain = true;
            if (searcher.search(request).hits.empty()) return 1;
        }
    }
    return 0;
}
