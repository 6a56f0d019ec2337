// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_words.h"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "braid/core/base/error.h"
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

std::string word_of_query_term(const TopicRecord& record, const Xapian::Stem& stem,
                               const std::string& term) {
    const bool is_stem = !term.empty() && term[0] == 'Z';
    const std::string word(without_prefix(std::string_view(term).substr(is_stem ? 1 : 0)));
    if (word.size() > kMaxTopicWordBytes) return "";
    return record.form == WordForm::kStems && !is_stem && !word.empty() ? stem(word) : word;
}

std::map<std::string, double> scored_terms(const Xapian::Query& query) {
    std::map<std::string, double> terms;
    for_each_scored_leaf(query, [&](const Xapian::Query& leaf) {
        if (leaf.get_type() != Xapian::Query::LEAF_TERM) return;
        terms[*leaf.get_terms_begin()] += static_cast<double>(leaf.get_length());
    });
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
