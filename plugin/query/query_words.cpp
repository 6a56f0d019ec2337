// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_words.h"

#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid {
namespace {

[[noreturn]] void refuse_words(std::size_t limit) {
    throw InvalidArgument(
        fmt::format("the query has more than {} words, which is the limit 'words'", limit));
}

[[noreturn]] void refuse_nesting(std::size_t limit) {
    throw InvalidArgument(fmt::format(
        "the query is nested more than {} levels deep, which is the limit 'nesting'", limit));
}

// An operator on the way from the root, and its next subquery to look at.
struct Level {
    Xapian::Query query;
    std::size_t next = 0;
};

}  // namespace

void check_query_text(const std::string& text, const Limits& limits) {
    std::size_t words = 0;
    std::size_t depth = 0;
    bool in_word = false;
    for (Xapian::Utf8Iterator at(text); at != Xapian::Utf8Iterator(); ++at) {
        const bool is_word = Xapian::Unicode::is_wordchar(*at);
        if (is_word && !in_word && ++words > limits.words) refuse_words(limits.words);
        in_word = is_word;
        if (*at == '(' && ++depth > limits.nesting) refuse_nesting(limits.nesting);
        if (*at == ')' && depth > 0) --depth;
    }
}

void check_query(const Xapian::Query& query, const Limits& limits) {
    if (query.empty()) return;
    std::size_t leaves = 0;
    std::vector<Level> path = {{query}};
    while (!path.empty()) {
        Level& level = path.back();
        const std::size_t parts = level.query.get_num_subqueries();
        if (parts == 0 && ++leaves > limits.words) refuse_words(limits.words);
        if (level.next == parts) {
            path.pop_back();
            continue;
        }
        if (path.size() > limits.nesting) refuse_nesting(limits.nesting);
        path.push_back({level.query.get_subquery(level.next++)});
    }
}

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
