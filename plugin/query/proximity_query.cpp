// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/proximity_query.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "braid/plugin/database/statistics.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/query/query_words.h"

namespace braid {
namespace {

constexpr std::size_t kMostForms = 64;
constexpr std::size_t kMostWalked = 10000;

// What every form of a stem begins with: the stem less its last letter, or all of a short one.
std::string_view common_beginning(std::string_view stem) {
    if (stem.size() < 3) return stem;
    std::size_t size = stem.size() - 1;
    while (size > 0 && (static_cast<unsigned char>(stem[size]) & 0xC0U) == 0x80) --size;  // UTF-8
    return size < 2 ? stem : stem.substr(0, size);
}

// docs/algorithms/proximity.md, Positions.
void add_forms(const Xapian::Database& database, const Xapian::Stem& stemmer,
               const std::string& term, ProximityWord& word) {
    const std::string stem = bare_word(term);
    const std::string prefix = term.substr(1, term.size() - 1 - stem.size());
    const std::string beginning = prefix + std::string(common_beginning(stem));
    const auto end = database.allterms_end(beginning);
    std::size_t walked = 0;
    for (auto at = database.allterms_begin(beginning); at != end && ++walked <= kMostWalked; ++at) {
        const std::string form = (*at).substr(prefix.size());
        if (stemmer(form) != stem) continue;
        word.forms.push_back(prefix + form);
        if (word.forms.size() - word.stems >= kMostForms) break;
    }
}

bool is_stem(const std::string& term) { return term.size() > 1 && term[0] == 'Z'; }

// Whether it is the same word as those terms, under another prefix.
bool goes_on(const std::vector<std::string>& terms, const std::string& term) {
    return std::find(terms.begin(), terms.end(), term) == terms.end() &&
           is_stem(terms.back()) == is_stem(term) && bare_word(terms.back()) == bare_word(term);
}

ProximityWord word_of(const Xapian::Database& database, const Xapian::Stem& stemmer,
                      const std::vector<std::string>& terms) {
    ProximityWord word{.terms = terms.size()};
    double documents = 0;
    for (const std::string& term : terms) {
        documents = std::max(documents, static_cast<double>(database.get_termfreq(term)));
        word.forms.push_back(term);
    }
    word.rarity = proximity_rarity(static_cast<double>(database.get_doccount()), documents);
    if (!is_stem(terms.front())) return word;
    word.stems = terms.size();
    for (const std::string& term : terms) add_forms(database, stemmer, term, word);
    return word;
}

double read_in(ByteReader& in, std::string_view name, double least, double most) {
    const double value = in.finite_real(name);
    if (value < least || value > most) {
        in.fail(name, fmt::format("found {}, expected {} to {}", value, least, most));
    }
    return value;
}

}  // namespace

std::size_t ProximityQuery::terms() const {
    std::size_t sum = 0;
    for (const ProximityWord& word : words) sum += word.terms;
    return sum;
}

Xapian::Query scored_words(const Xapian::Query& query) {
    std::vector<Xapian::Query> terms;
    for_each_scored_leaf(query, [&](const Xapian::Query& leaf) {
        if (leaf.get_type() == Xapian::Query::LEAF_TERM) terms.push_back(leaf);
    });
    return {Xapian::Query::OP_OR, terms.begin(), terms.end()};
}

ProximityQuery read_proximity_query(const Xapian::Database& database, const Xapian::Query& query,
                                    const Xapian::Stem& stem, const ProximitySettings& settings) {
    ProximityQuery result{settings, collection_statistics(database).average_length(), {}};
    std::vector<std::vector<std::string>> words;
    for_each_scored_leaf(query, [&](const Xapian::Query& leaf) {
        const std::string term = *leaf.get_terms_begin();
        if (!words.empty() && goes_on(words.back(), term)) {
            words.back().push_back(term);
        } else {
            words.push_back({term});
        }
    });
    for (const auto& terms : words) {
        // A single word makes no pair: it needs no forms.
        result.words.push_back(words.size() > 1 ? word_of(database, stem, terms)
                                                : ProximityWord{.terms = terms.size()});
    }
    return result;
}

void write_proximity_query(ByteWriter& out, const ProximityQuery& query) {
    for (const double value : {query.settings.window, query.settings.ordered, query.settings.k1,
                               query.settings.b, query.average_length}) {
        out.real(value);
    }
    out.varint(query.words.size());
    for (const ProximityWord& word : query.words) {
        out.varint(word.terms);
        out.real(word.rarity);
        out.varint(word.stems);
        write_texts(out, word.forms);
    }
}

ProximityQuery read_proximity_query(ByteReader& in, std::size_t terms) {
    ProximityQuery query;
    query.settings.window = read_in(in, "window", 2, 1e6);
    query.settings.ordered = read_in(in, "ordered", 0, 1);
    query.settings.k1 = read_in(in, "k1", 0, 1000);
    query.settings.b = read_in(in, "b", 0, 1);
    query.average_length = read_in(in, "average length", 0, 1e300);
    query.words.resize(in.count("words", 11));
    std::size_t seen = 0;
    for (ProximityWord& word : query.words) {
        word.terms = in.varint_in("word's terms", 1, terms);
        seen += word.terms;
        word.rarity = read_in(in, "rarity", 0, 1e3);
        word.stems = in.varint_in("stems", 0, kMostForms);
        word.forms = read_texts(in, "forms");
        if (word.stems > word.forms.size()) in.fail("stems", "are more than the forms");
        const bool is_alone = query.words.size() == 1;
        if (word.forms.empty() && !is_alone) in.fail("forms", "found none, expected a term");
        for (const std::string& form : word.forms) {
            if (form.empty()) in.fail("form", "found none, expected a term");
        }
    }
    if (seen != terms) {
        in.fail("words", fmt::format("have {} terms, the query {}", seen, terms));
    }
    return query;
}

}  // namespace braid
