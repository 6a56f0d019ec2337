// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/counted_words.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/ranking/pool_matches.h"
#include "braid/plugin/sources/term_cursor.h"
#include "braid/plugin/store/analysis.h"

namespace braid {

CountedWords words_in_field(const Xapian::Database& database, const CountedWords& words,
                            const FieldCollection& field, PoolPostings& postings) {
    CountedWords in_field;
    for (const CountedWord& word : words.words) {
        CountedWord found;
        if (word.known_of.empty()) found.term = term_in_field(field.prefix, word.term);
        if (found.term.empty()) continue;
        found.query_occurrences = word.query_occurrences;
        found.factor = word.factor;
        found.known = {
            {term_statistics(database, field.collection, found.term, found.query_occurrences),
             field_bounds(database, found.term)}};
        found.counts = postings.term(found.term).counts;
        for (std::size_t i = 0; i < found.counts.size(); ++i) {
            if (word.counts[i] == 0) found.counts[i] = 0;
        }
        in_field.words.push_back(std::move(found));
    }
    return in_field;
}

CountedWords words_in_blend(const Xapian::Database& database, const CountedWords& words,
                            const BagBlend& blend, PoolPostings& postings) {
    CountedWords result = words;
    for (CountedWord& word : result.words) {
        const std::vector<double> whole = word.counts;
        for (double& count : word.counts) count *= blend.whole;
        if (!word.known_of.empty()) continue;
        word.known.front().bounds = blend_bounds(database, word.term, blend);
        for (const auto& [term, weight] : blend.terms_for(word.term)) {
            const std::vector<double>& counts = postings.counts(term);
            for (std::size_t i = 0; i < counts.size(); ++i) {
                if (whole[i] > 0) word.counts[i] += weight * counts[i];
            }
        }
    }
    return result;
}

double length_of(const CountedWords& words) {
    double sum = 0;
    for (const CountedWord& word : words.words) sum += word.query_occurrences;
    return sum;
}

namespace {

using Query = Xapian::Query;

// A part of a query: the documents that it matches, and the words that score for it in them.
struct Part {
    std::vector<char> matches;
    std::vector<CountedWord> words;
};

void keep(std::vector<CountedWord>& words, const std::vector<char>& documents) {
    for (CountedWord& word : words) {
        for (std::size_t i = 0; i < documents.size(); ++i) {
            if (documents[i] == 0) word.counts[i] = 0;
        }
    }
}

void append(std::vector<CountedWord>& to, std::vector<CountedWord>&& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Words of a wildcard count as one unless its maker chose otherwise.
bool counts_as_one(const Query& query) {
    return query.get_type() == Query::OP_SYNONYM || wildcard_operator(query) == Query::OP_SYNONYM;
}

// An XOR within an XOR is one with it to Xapian: where both of its parts match, they score for the
// whole.
std::vector<Query> parts_of(const Query& query) {
    if (query.get_type() != Query::OP_XOR) return subqueries(query);
    std::vector<Query> parts;
    walk_query(query, [&](const Query& part, std::size_t) {
        if (part.get_type() == Query::OP_XOR) return WalkStep::kInto;
        parts.push_back(part);
        return WalkStep::kOver;
    });
    return parts;
}

// Evaluates parts of a query over a pool; nothing where they can't be told.
class WordEvaluation {
  public:
    WordEvaluation(const Xapian::Database& database, const Query& whole,
                   std::span<const Xapian::docid> documents, PoolPostings& postings)
        : database_(database),
          whole_(whole),
          documents_(documents),
          postings_(postings),
          collection_(collection_statistics(database)) {}

    std::optional<Part> part(const Query& query);

  private:
    Part all_or_none(bool matches) const {
        return {.matches = std::vector<char>(documents_.size(), matches ? 1 : 0), .words = {}};
    }
    Part word(const Query& query);
    std::optional<Part> positional(const Query& query);
    std::optional<Part> joined(const Query& query);
    std::optional<Part> around(const Query& query);
    std::optional<Part> maybe(const Query& query);
    std::optional<Part> scaled(const Query& query);

    Xapian::Database database_;
    Query whole_;
    std::span<const Xapian::docid> documents_;
    PoolPostings& postings_;
    CollectionStatistics collection_;
};

std::optional<Part> WordEvaluation::part(const Query& query) {
    if (query.empty()) return all_or_none(false);
    switch (query.get_type()) {
        case Query::LEAF_TERM:
            return word(query);
        case Query::LEAF_MATCH_ALL:
        case Query::LEAF_MATCH_NOTHING:
            return all_or_none(query.get_type() == Query::LEAF_MATCH_ALL);
        case Query::OP_PHRASE:
        case Query::OP_NEAR:
            return positional(query);
        case Query::OP_VALUE_RANGE:
        case Query::OP_VALUE_GE:
        case Query::OP_VALUE_LE:
            return Part{.matches = matches_in(database_, query, documents_), .words = {}};
        case Query::OP_SYNONYM:
        case Query::OP_WILDCARD: {
            if (!counts_as_one(query)) return std::nullopt;
            Part part;
            part.words = {counted_as_one(database_, query, whole_, documents_, part.matches)};
            if (part.words.front().known.empty()) part.words.clear();  // No word of it is there.
            return part;
        }
        case Query::OP_FILTER:
        case Query::OP_AND_NOT:
            return around(query);
        case Query::OP_AND_MAYBE:
            return maybe(query);
        case Query::OP_SCALE_WEIGHT:
            return scaled(query);
        case Query::OP_AND:
        case Query::OP_OR:
        case Query::OP_XOR:
            return joined(query);
        default:
            return std::nullopt;
    }
}

Part WordEvaluation::word(const Query& query) {
    CountedWord word;
    word.term = *query.get_terms_begin();
    word.query_occurrences = static_cast<double>(query.get_length());
    word.known = {{term_statistics(database_, collection_, word.term, word.query_occurrences),
                   bound_statistics(database_, word.term)}};
    const PoolPostings::Term& found = postings_.term(word.term);
    word.counts = found.counts;
    return {.matches = found.has, .words = {std::move(word)}};
}

// Matches some of the documents that have all of its words, which score as those of an AND.
std::optional<Part> WordEvaluation::positional(const Query& query) {
    std::optional<Part> part = joined(query);
    if (!part) return part;
    part->matches = matches_in(database_, query, documents_);
    keep(part->words, part->matches);
    return part;
}

std::optional<Part> WordEvaluation::joined(const Query& query) {
    const std::vector<Query> parts = parts_of(query);
    std::vector<std::size_t> matching(documents_.size());
    Part whole = all_or_none(false);
    for (const Query& subquery : parts) {
        std::optional<Part> one = part(subquery);
        if (!one) return one;
        for (std::size_t k = 0; k < matching.size(); ++k) matching[k] += one->matches[k] != 0;
        append(whole.words, std::move(one->words));
    }
    for (std::size_t k = 0; k < matching.size(); ++k) {
        bool matches = matching[k] == parts.size();
        if (query.get_type() == Query::OP_OR) matches = matching[k] > 0;
        if (query.get_type() == Query::OP_XOR) matches = matching[k] % 2 == 1;
        whole.matches[k] = matches ? 1 : 0;
    }
    if (query.get_type() != Query::OP_OR) keep(whole.words, whole.matches);
    return whole;
}

// What is filtered by or excluded adds nothing.
std::optional<Part> WordEvaluation::around(const Query& query) {
    const std::vector<Query> parts = subqueries(query);
    std::optional<Part> first = part(parts.front());
    if (!first) return first;
    const char wanted = query.get_type() == Query::OP_FILTER ? 1 : 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::vector<char> other = matches_in(database_, parts[i], documents_);
        for (std::size_t k = 0; k < other.size(); ++k) {
            if (other[k] != wanted) first->matches[k] = 0;
        }
    }
    keep(first->words, first->matches);
    return first;
}

std::optional<Part> WordEvaluation::maybe(const Query& query) {
    const std::vector<Query> parts = subqueries(query);
    std::optional<Part> first = part(parts.front());
    for (std::size_t i = 1; first && i < parts.size(); ++i) {
        std::optional<Part> other = part(parts[i]);
        if (!other) return other;
        keep(other->words, first->matches);
        append(first->words, std::move(other->words));
    }
    return first;
}

std::optional<Part> WordEvaluation::scaled(const Query& query) {
    std::optional<Part> part = this->part(subqueries(query).front());
    const std::optional<double> factor = factor_of(database_, query);
    if (!part || !factor) return std::nullopt;
    if (*factor == 0) part->words.clear();
    for (CountedWord& word : part->words) {
        if (word.factor != 1) return std::nullopt;  // Scaled before.
        word.factor = *factor;
    }
    return part;
}

}  // namespace

WordScorer::WordScorer(const LexicalRanker& ranker, const CountedWord& word, double query_norm)
    : word_(word) {
    for (const CountedWord::Known& known : word.known) {
        TermStatistics term = known.term;
        term.query_norm = query_norm;
        scorers_.push_back(ranker.term_scorer(term));
        bound_ = std::max(bound_, word.factor * scorers_.back()->upper_bound(known.bounds));
    }
}

double CountedWords::query_norm() const {
    double squares = 0;
    for (const CountedWord& word : words) {
        const double component = tfidf_component(word.known.front().term);
        squares += component * component;
    }
    return std::sqrt(squares);
}

CountedWords counted_words(const Xapian::Database& database, const Query& query,
                           std::span<const Xapian::docid> documents, PoolPostings& postings) {
    std::optional<Part> whole = WordEvaluation(database, query, documents, postings).part(query);
    CountedWords counted;
    if (whole) {
        counted.words = std::move(whole->words);
    } else {
        counted.why_not = fmt::format(
            "the query has more than words, phrases, ranges, synonyms and boolean operators: {}",
            query.get_description());
    }
    return counted;
}

}  // namespace braid
