// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/random.h"

namespace braid::bench {

/// Whether a term is a word as it was written: no stem, no prefix, and not short.
inline bool is_word(const std::string& term) {
    return term.size() > 3 && (term[0] < 'A' || term[0] > 'Z');
}

/// An OR of that many words of random documents that at most a tenth of the documents have.
inline Xapian::Query random_query(const Xapian::Database& database, Random& random,
                                  std::size_t words) {
    const Xapian::doccount common = database.get_doccount() / 10;
    std::vector<std::string> chosen;
    while (chosen.size() < words) {
        const auto docid = static_cast<Xapian::docid>(1 + random.below(database.get_lastdocid()));
        std::vector<std::string> terms;
        try {
            for (auto term = database.termlist_begin(docid); term != database.termlist_end(docid);
                 ++term) {
                if (is_word(*term)) terms.push_back(*term);
            }
        } catch (const Xapian::DocNotFoundError&) {
        }
        if (terms.empty()) continue;
        const std::string& term = terms[random.below(terms.size())];
        if (database.get_termfreq(term) <= common) chosen.push_back(term);
    }
    return {Xapian::Query::OP_OR, chosen.begin(), chosen.end()};
}

}  // namespace braid::bench
