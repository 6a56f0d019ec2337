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

// Of queries that are remembered.
constexpr std::size_t kMostKnown = 1000;

// Whether forms may have another letter there: memori, memory; portabl, portability.
bool is_changed(char last) {
    return std::string_view("aeiouyl").find(last) != std::string_view::npos ||
           static_cast<unsigned char>(last) >= 0x80;
}

// What every form of a stem begins with.
std::string_view common_beginning(std::string_view stem) {
    if (stem.size() < 3 || !is_changed(stem.back())) return stem;
    std::size_t size = stem.size() - 1;
    while (size > 0 && (static_cast<unsigned char>(stem[size]) & 0xC0U) == 0x80) --size;  // UTF-8
    return size < 2 ? stem : stem.substr(0, size);
}

bool is_stem(const std::string& term) { return term.size() > 1 && term[0] == 'Z'; }

// Whether it is the same word as those terms, under another prefix.
bool goes_on(const std::vector<std::string>& terms, const std::string& term) {
    return std::find(terms.begin(), terms.end(), term) == terms.end() &&
           is_stem(terms.back()) == is_stem(term) && bare_word(terms.back()) == bare_word(term);
}

ProximityWord word_of(const Xapian::Database& database, WordForms& forms,
                      const std::vector<std::string>& terms) {
    ProximityWord word{.terms = terms.size()};
    double documents = 0;
    for (const std::string& term : terms) {
        documents = std::max(documents, static_cast<double>(database.get_termfreq(term)));
        const std::vector<std::string>& found = forms.of(term);
        word.forms.insert(word.forms.end(), found.begin(), found.end());
    }
    word.rarity = proximity_rarity(static_cast<double>(database.get_doccount()), documents);
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

// By the first stem of any document.
bool WordForms::stems_have_positions() {
    if (!stems_have_positions_) {
        stems_have_positions_ = false;
        for (auto term = database_.allterms_begin("Z"); term != database_.allterms_end("Z");
             ++term) {
            const auto posting = database_.postlist_begin(*term);
            if (posting == database_.postlist_end(*term) || posting.get_wdf() == 0) continue;
            stems_have_positions_ = posting.positionlist_begin() != posting.positionlist_end();
            break;
        }
    }
    return *stems_have_positions_;
}

const std::vector<std::string>& WordForms::of(const std::string& term) {
    if (known_.size() > kMostKnown) known_.clear();
    const auto [found, is_new] = known_.try_emplace(term);
    if (is_new) {
        const bool by_forms = is_stem(term) && !stems_have_positions();
        found->second = by_forms ? find(term) : std::vector<std::string>{term};
    }
    return found->second;
}

std::vector<std::string> WordForms::find(const std::string& term) const {
    const std::string stem = bare_word(term);
    const std::string prefix = term.substr(1, term.size() - 1 - stem.size());
    const std::string beginning = prefix + std::string(common_beginning(stem));
    std::vector<std::string> forms;
    const auto end = database_.allterms_end(beginning);
    std::size_t walked = 0;
    for (auto at = database_.allterms_begin(beginning); at != end && ++walked <= kMostWalked;
         ++at) {
        const std::string form = (*at).substr(prefix.size());
        if (stem_(form) != stem) continue;
        forms.push_back(prefix + form);
        if (forms.size() >= kMostForms) break;
    }
    return forms;
}

Xapian::Query scored_words(const Xapian::Query& query) {
    std::vector<Xapian::Query> terms;
    for_each_scored_leaf(query, [&](const Xapian::Query& leaf) {
        if (leaf.get_type() == Xapian::Query::LEAF_TERM) terms.push_back(leaf);
    });
    return {Xapian::Query::OP_OR, terms.begin(), terms.end()};
}

ProximityQuery read_proximity_query(const Xapian::Database& database, const Xapian::Query& query,
                                    WordForms& forms, const ProximitySettings& settings) {
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
        result.words.push_back(words.size() > 1 ? word_of(database, forms, terms)
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
    query.words.resize(in.count("words", 10));
    std::size_t seen = 0;
    for (ProximityWord& word : query.words) {
        word.terms = in.varint_in("word's terms", 1, terms);
        seen += word.terms;
        word.rarity = read_in(in, "rarity", 0, 1e3);
        word.forms = read_texts(in, "forms");
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
