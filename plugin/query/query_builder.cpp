// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_builder.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/store/analysis.h"

namespace braid {
namespace {

// Queries look for stems only: of the words and the stems that Xapian's strategy writes into a
// database, the latter.
Xapian::TermGenerator::stem_strategy word_strategy(const AnalysisSettings& analysis) {
    switch (analysis.stemming) {
        case AnalysisSettings::Stemming::kSome:
            return Xapian::TermGenerator::STEM_ALL_Z;
        case AnalysisSettings::Stemming::kAll:
            return Xapian::TermGenerator::STEM_ALL;
        case AnalysisSettings::Stemming::kNone:
            break;
    }
    return Xapian::TermGenerator::STEM_NONE;
}

std::vector<Xapian::Query> terms_of(const Xapian::Document& document) {
    std::vector<Xapian::Query> terms;
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
        terms.emplace_back(*term, term.get_wdf());
    }
    return terms;
}

}  // namespace

QueryBuilder::QueryBuilder(const IndexSettings& index, const SearchSettings& search,
                           const Limits& limits)
    : stopper_(make_stopper(index.analysis)), limits_(limits) {
    configure(parser_, index, stopper_.get());
    parser_.set_default_op(search.default_operator == "and" ? Xapian::Query::OP_AND
                                                            : Xapian::Query::OP_OR);
    // A wildcard that fits more terms stands for the most frequent of them.
    parser_.set_max_expansion(static_cast<Xapian::termcount>(limits.expansion),
                              Xapian::Query::WILDCARD_LIMIT_MOST_FREQUENT);
    flags_ = Xapian::QueryParser::FLAG_DEFAULT;
    if (search.wildcards) flags_ |= Xapian::QueryParser::FLAG_WILDCARD;
    if (search.spelling) flags_ |= Xapian::QueryParser::FLAG_SPELLING_CORRECTION;
    configure(words_, index.analysis, nullptr);
    words_.set_stemming_strategy(word_strategy(index.analysis));
    words_.set_stopper_strategy(Xapian::TermGenerator::STOP_ALL);
}

ParsedQuery QueryBuilder::parse(const std::string& text, const Xapian::Database& database) {
    check_query_text(text, limits_);
    parser_.set_database(database);
    try {
        ParsedQuery parsed;
        parsed.query = parser_.parse_query(text, flags_);
        check_query(parsed.query, limits_);
        parsed.corrected = parser_.get_corrected_query_string();
        // QueryParser scales what has only filters by 0.
        parsed.scored = parsed.query.get_type() != Xapian::Query::OP_SCALE_WEIGHT;
        return parsed;
    } catch (const Xapian::QueryParserError& error) {
        throw InvalidArgument(fmt::format("query '{}': {}", text, error.get_msg()));
    }
}

Xapian::Query QueryBuilder::bag_of_words(const std::string& text) {
    check_query_text(text, {.words = limits_.words, .nesting = text.size()});
    std::vector<Xapian::Query> terms;
    for (const Xapian::Stopper* stopper :
         {stopper_.get(), static_cast<Xapian::Stopper*>(nullptr)}) {
        Xapian::Document document;
        words_.set_stopper(stopper);
        words_.set_document(document);
        words_.index_text_without_positions(text);
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
