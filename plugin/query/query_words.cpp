// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_words.h"

#include <cstdlib>
#include <string_view>

namespace braid {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Takes off a field's prefix in Xapian's conventions: a capital, or X and capitals; then a colon
// where the text begins with a capital or colon itself.
std::string_view without_prefix(std::string_view term) {
    std::size_t end = 0;
    if (!term.empty() && is_capital(term[0])) end = 1;
    if (end > 0 && term[0] == 'X') {
        while (end < term.size() && is_capital(term[end])) ++end;
    }
    if (end > 0 && end < term.size() && term[end] == ':') ++end;
    return term.substr(end);
}

// Xapian tells no one the factor of OP_SCALE_WEIGHT, but writes it into the description:
// "Query(0 * ...".
bool is_scaled_to_nothing(const Xapian::Query& query) {
    const std::string description = query.get_description();
    const std::size_t open = description.find('(');
    return open != std::string::npos && std::strtod(description.c_str() + open + 1, nullptr) == 0;
}

void add_scored(const Xapian::Query& query, std::map<std::string, double>& terms) {
    switch (query.get_type()) {
        case Xapian::Query::LEAF_TERM:
            terms[*query.get_terms_begin()] += static_cast<double>(query.get_length());
            return;
        case Xapian::Query::OP_FILTER:
        case Xapian::Query::OP_AND_NOT:
            add_scored(query.get_subquery(0), terms);
            return;
        case Xapian::Query::OP_SCALE_WEIGHT:
            if (is_scaled_to_nothing(query)) return;
            break;
        default:
            break;
    }
    for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
        add_scored(query.get_subquery(i), terms);
    }
}

}  // namespace

std::string word_of_query_term(const TopicRecord& record, const Xapian::Stem& stem,
                               const std::string& term) {
    const bool is_stem = !term.empty() && term[0] == 'Z';
    const std::string word(without_prefix(std::string_view(term).substr(is_stem ? 1 : 0)));
    if (word.size() > kMaxTopicWordBytes) return "";
    return record.form == WordForm::kStems && !is_stem && !word.empty() ? stem(word) : word;
}

std::map<std::string, double> scored_terms(const Xapian::Query& query) {
    std::map<std::string, double> terms;
    if (!query.empty()) add_scored(query, terms);
    return terms;
}

WordCounts query_words(const Xapian::Query& query, const TopicRecord& record,
                       const Xapian::Stem& stem) {
    return query_words(scored_terms(query), record, stem);
}

WordCounts query_words(const std::map<std::string, double>& terms, const TopicRecord& record,
                       const Xapian::Stem& stem) {
    WordCounts words;
    for (const auto& [term, count] : terms) {
        const std::string word = word_of_query_term(record, stem, term);
        if (!word.empty()) words[word] += count;
    }
    return words;
}

}  // namespace braid
