// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_builder.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/error.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/store/analysis.h"

namespace braid {
namespace {

// Queries look for stems only: of the words and the stems that Xapian's strategy writes into a
// database, the latter.
Xapian::TermGenerator::stem_strategy word_strategy(const AnalysisSettings& analysis) {
    // Without a stemmer the other strategies write no stems, so no terms at all.
    using Generator = Xapian::TermGenerator;
    if (analysis.stemmer == "none") return Generator::STEM_NONE;
    return strategy_of(analysis.stemming, Generator::STEM_ALL_Z, Generator::STEM_ALL,
                       Generator::STEM_NONE);
}

// In the order in which the text has them first, each with that place.
std::vector<Xapian::Query> terms_of(const Xapian::Document& document) {
    std::vector<std::pair<Xapian::termpos, Xapian::Query>> terms;
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
        const auto place = term.positionlist_begin();
        const Xapian::termpos first = place != term.positionlist_end() ? *place : 0;
        terms.emplace_back(first, Xapian::Query(*term, term.get_wdf(), first));
    }
    std::sort(terms.begin(), terms.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Xapian::Query> result;
    result.reserve(terms.size());
    for (const auto& [position, term] : terms) result.push_back(term);
    return result;
}

// The parts of a text outside quotes that blanks, brackets and signs divide.
std::vector<std::string_view> unquoted_parts(std::string_view text) {
    std::vector<std::string_view> parts;
    bool is_quoted = false;
    std::size_t begin = 0;
    const auto end_at = [&](std::size_t at) {
        if (!is_quoted && at > begin) parts.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_sign = (text[i] == '+' || text[i] == '-') && i == begin;
        if (text[i] == '"') {
            end_at(i);
            is_quoted = !is_quoted;
        } else if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '(' ||
                   text[i] == ')' || is_sign) {
            end_at(i);
        }
    }
    end_at(text.size());
    return parts;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The name before the colon of "name:value"; "" for what is no field: C++'s ::, addresses, times.
std::string_view field_before_colon(std::string_view part) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_letter(part[0])) return {};
    if (colon + 1 < part.size() &&
        std::string_view(":/\\").find(part[colon + 1]) != std::string_view::npos) {
        return {};
    }
    const std::string_view name = part.substr(0, colon);
    const bool is_name = std::all_of(name.begin(), name.end(), [](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    });
    return is_name ? name : std::string_view{};
}

std::string doubt_about_name(std::string_view name, const std::vector<std::string>& known,
                             const std::string& what) {
    const std::string near = nearest_word(name, known);
    return fmt::format("'{}:' {}{}", name, what,
                       near.empty() ? "" : "; did you mean '" + near + ":'?");
}

}  // namespace

void QueryBuilder::find_doubts(const std::string& text, ParsedQuery& parsed) const {
    const auto has = [](const std::vector<std::string>& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const std::string_view part : unquoted_parts(text)) {
        const std::string_view name = field_before_colon(part);
        const bool is_range = part.find("..") != std::string_view::npos;
        if (name.empty()) {
            const bool is_number = part[0] >= '0' && part[0] <= '9';
            if (is_range && is_number) {
                parsed.doubts.push_back(
                    fmt::format("the range '{}' has no field, expected FIELD:{}", part, part));
            }
        } else if (is_range && !has(ranges_, name)) {
            parsed.doubts.push_back(doubt_about_name(name, ranges_, "has no ranges"));
        } else if (!is_range && !has(fields_, name)) {
            parsed.doubts.push_back(
                doubt_about_name(name, fields_, "is no field, so it is searched for as a word"));
        }
    }
    if (std::count(text.begin(), text.end(), '"') % 2 != 0) {
        parsed.doubts.emplace_back("a quote is not closed, so the phrase goes on to the end");
    }
    bool has_words = false;
    bool has_others = false;
    for (auto term = parsed.query.get_unique_terms_begin(); term != parsed.query.get_terms_end();
         ++term) {
        if ((*term)[0] != 'Z') {
            has_others = true;
            continue;
        }
        for (auto word = parser_->unstem_begin(*term); word != parser_->unstem_end(*term); ++word) {
            has_words = true;
            has_others = has_others || stopper_ == nullptr || !(*stopper_)(*word);
        }
    }
    if (has_words && !has_others) {
        parsed.doubts.emplace_back(
            "the query has stop words only, which documents keep in phrases alone; put it in "
            "quotes to find them");
    }
}

QueryBuilder::QueryBuilder(const IndexSettings& index, const SearchSettings& search,
                           const Limits& limits)
    : index_(index), search_(search), limits_(limits) {
    make_stemmer(index.analysis);
}

void QueryBuilder::prepare() {
    if (parser_) return;
    stopper_ = make_stopper(index_.analysis);
    Xapian::QueryParser parser;
    configure(parser, index_, stopper_.get());
    for (const FieldSettings& field : index_.fields) {
        if (field.exact || !field.prefix.empty()) fields_.push_back(field.name);
        if (field.slot >= 0) ranges_.push_back(field.name);
    }
    parser.set_default_op(search_.default_operator == "and" ? Xapian::Query::OP_AND
                                                            : Xapian::Query::OP_OR);
    // A wildcard that fits more terms stands for the most frequent of them.
    parser.set_max_expansion(static_cast<Xapian::termcount>(limits_.expansion),
                             Xapian::Query::WILDCARD_LIMIT_MOST_FREQUENT);
    flags_ = Xapian::QueryParser::FLAG_DEFAULT;
    if (search_.wildcards) flags_ |= Xapian::QueryParser::FLAG_WILDCARD;
    if (search_.spelling) flags_ |= Xapian::QueryParser::FLAG_SPELLING_CORRECTION;
    Xapian::TermGenerator words;
    configure(words, index_.analysis, stopper_.get());
    words.set_stemming_strategy(word_strategy(index_.analysis));
    words.set_stopper_strategy(Xapian::TermGenerator::STOP_ALL);
    words_ = words;
    parser_ = parser;
}

ParsedQuery QueryBuilder::parse(const std::string& text, const Xapian::Database& database) {
    check_query_text(text, limits_);
    prepare();
    parser_->set_database(database);
    try {
        ParsedQuery parsed;
        parsed.query = parser_->parse_query(text, flags_);
        check_query(parsed.query, limits_);
        parsed.corrected = parser_->get_corrected_query_string();
        // QueryParser scales what has only filters by 0.
        parsed.scored = parsed.query.get_type() != Xapian::Query::OP_SCALE_WEIGHT;
        find_doubts(text, parsed);
        return parsed;
    } catch (const Xapian::QueryParserError& error) {
        // Xapian has but "Unknown range operation".
        ParsedQuery nothing;
        find_doubts(text, nothing);
        std::string why = error.get_msg();
        for (const std::string& doubt : nothing.doubts) why += "; " + doubt;
        throw InvalidArgument(fmt::format("query '{}': {}", text, why));
    }
}

Xapian::Query QueryBuilder::bag_of_words(const std::string& text) {
    check_query_text(text, {.words = limits_.words, .nesting = text.size()});
    prepare();
    std::vector<Xapian::Query> terms;
    for (const Xapian::Stopper* stopper :
         {stopper_.get(), static_cast<Xapian::Stopper*>(nullptr)}) {
        Xapian::Document document;
        words_->set_stopper(stopper);
        words_->set_document(document);
        words_->index_text(text);
        terms = terms_of(document);
        if (!terms.empty()) break;
    }
    return {Xapian::Query::OP_OR, terms.begin(), terms.end()};
}

Xapian::termcount scored_length(const Xapian::Query& query) {
    Xapian::termcount words = 0;
    for_each_scored_leaf(query, [&](const Xapian::Query& leaf) {
        // Xapian counts LEAF_MATCH_ALL as a term, but it scores nothing.
        if (leaf.get_type() != Xapian::Query::LEAF_MATCH_ALL) words += leaf.get_length();
    });
    // Given 0, Xapian counts for itself, filters and all.
    return std::max(Xapian::termcount{1}, words);
}

}  // namespace braid
