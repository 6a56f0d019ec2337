// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/search_speed/random_queries.h"

#include <cmath>

#include <fmt/core.h>

#include "braid/core/base/random.h"
#include "braid/error.h"

namespace braid::bench {
namespace {

Xapian::doccount most_documents(const Xapian::Database& database) {
    return database.get_doccount() / 10;
}

// The terms of a document that may be chosen; none if there is no such document.
std::vector<std::string> terms_of(const Xapian::Database& database, Xapian::docid docid,
                                  Terms which) {
    std::vector<std::string> stems;
    std::vector<std::string> words;
    try {
        for (auto term = database.termlist_begin(docid); term != database.termlist_end(docid);
             ++term) {
            const std::string& text = *term;
            if (text.size() <= 3) continue;
            if (text[0] == 'Z') stems.push_back(text);
            if (text[0] >= 'A' && text[0] <= 'Z') continue;
            if (which == Terms::kRareWords && term.get_termfreq() > most_documents(database))
                continue;
            words.push_back(text);
        }
    } catch (const Xapian::DocNotFoundError&) {
        return {};
    }
    return which == Terms::kStemsOrWords && !stems.empty() ? stems : words;
}

std::vector<std::string> random_query_words(const Xapian::Database& database, Random& random,
                                            std::size_t count, Terms which) {
    std::vector<std::string> chosen;
    while (chosen.size() < count) {
        const auto docid = static_cast<Xapian::docid>(1 + random.below(database.get_lastdocid()));
        const std::vector<std::string> terms = terms_of(database, docid, which);
        if (terms.empty()) continue;
        const std::string& term = terms[random.below(terms.size())];
        if (database.get_termfreq(term) <= most_documents(database)) chosen.push_back(term);
    }
    return chosen;
}

}  // namespace

std::vector<std::vector<std::string>> random_words(const Xapian::Database& database,
                                                   const QueryOptions& options, Terms terms) {
    if (options.count == 0) throw InvalidArgument("--queries: got 0, expected at least 1");
    if (options.fewest == 0 || options.fewest > options.most) {
        throw InvalidArgument(fmt::format("--fewest {}: expected 1 to --most, which is {}",
                                          options.fewest, options.most));
    }
    Random random;
    std::vector<std::vector<std::string>> queries;
    for (std::size_t i = 0; i < options.count; ++i) {
        const std::size_t words = options.fewest + random.below(options.most - options.fewest + 1);
        queries.push_back(random_query_words(database, random, words, terms));
    }
    return queries;
}

std::vector<Xapian::Query> random_queries(const Xapian::Database& database,
                                          const QueryOptions& options, Terms terms) {
    std::vector<Xapian::Query> queries;
    for (const std::vector<std::string>& words : random_words(database, options, terms)) {
        queries.emplace_back(Xapian::Query::OP_OR, words.begin(), words.end());
    }
    return queries;
}

void print_queries(const Xapian::Database& database, const QueryOptions& options) {
    fmt::print("{} documents, average length {:.0f}; {} queries of {} to {} words\n\n",
               database.get_doccount(), database.get_average_length(), options.count,
               options.fewest, options.most);
}

Xapian::Query filter_of(const Xapian::Database& database, double percent) {
    if (percent <= 0) return {};
    const double wanted = percent / 100 * database.get_doccount();
    std::string best;
    double distance = database.get_doccount();
    for (auto term = database.allterms_begin(); term != database.allterms_end(); ++term) {
        const double away = std::fabs(term.get_termfreq() - wanted);
        if (away >= distance) continue;
        distance = away;
        best = *term;
    }
    fmt::print("filter: {}, {} documents\n\n", best, database.get_termfreq(best));
    return Xapian::Query(best);
}

}  // namespace braid::bench
