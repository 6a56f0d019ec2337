// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_words.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "braid/error.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_tree.h"

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
    walk_query(query, [&](const Xapian::Query& part, std::size_t depth) {
        if (depth > limits.nesting) refuse_nesting(limits.nesting);
        if (is_leaf(part) && ++leaves > limits.words) refuse_words(limits.words);
        return WalkStep::kInto;
    });
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

}  // namespace

std::string bare_word(const std::string& term) {
    const bool is_stem = !term.empty() && term[0] == 'Z';
    return std::string(without_prefix(std::string_view(term).substr(is_stem ? 1 : 0)));
}

std::string word_of_query_term(const TopicRecord& record, const Xapian::Stem& stem,
                               const std::string& term) {
    const bool is_stem = !term.empty() && term[0] == 'Z';
    const std::string word = bare_word(term);
    if (word.size() > kMaxTopicWordBytes) return "";
    return record.form == WordForm::kStems && !is_stem && !word.empty() ? stem(word) : word;
}

namespace {

using Query = Xapian::Query;
using CountsByTerm = std::map<std::string, double>;

bool joins_alternatives(const Query& query) {
    return query.get_type() == Query::OP_OR || query.get_type() == Query::OP_SYNONYM;
}

bool is_one_word(const CountsByTerm& terms) {
    const std::string word = bare_word(terms.begin()->first);
    return std::all_of(terms.begin(), terms.end(),
                       [&](const auto& term) { return bare_word(term.first) == word; });
}

// The terms together count as often as the one that occurs most.
void share_one_count(CountsByTerm& terms) {
    double sum = 0;
    double most = 0;
    for (const auto& [term, count] : terms) {
        sum += count;
        most = std::max(most, count);
    }
    for (auto& [term, count] : terms) count = count * most / sum;
}

// `is_operand` says that the query is one of the words that an AND joins.
CountsByTerm counted_terms(const Query& query, bool is_operand) {
    if (query.get_type() == Query::LEAF_TERM) {
        return {{*query.get_terms_begin(), static_cast<double>(query.get_length())}};
    }
    if (is_scaled_to_nothing(query)) return {};
    const bool of_and = query.get_type() == Query::OP_AND || (is_operand && is_filtered(query));
    CountsByTerm terms;
    for (const Query& part : subqueries(query)) {
        for (const auto& [term, count] : counted_terms(part, of_and)) terms[term] += count;
        if (is_filtered(query)) break;
    }
    const bool is_group = terms.size() > 1 && joins_alternatives(query);
    if (is_group && (is_operand || is_one_word(terms))) share_one_count(terms);
    return terms;
}

}  // namespace

std::map<std::string, double> scored_terms(const Xapian::Query& query) {
    return counted_terms(query, false);
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
