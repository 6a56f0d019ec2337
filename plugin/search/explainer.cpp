// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/explainer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/ranking/counted_words.h"
#include "braid/plugin/ranking/pool_matches.h"
#include "braid/plugin/ranking/pool_postings.h"
#include "braid/plugin/sources/term_cursor.h"
#include "braid/plugin/tables/record_reader.h"

namespace braid {
namespace {

constexpr char kDamagedRecord[] =
    "the document's record is damaged and counts as missing: no norm, as many unique terms as its "
    "length, no fields; `braid check --repair` mends it";

}  // namespace

Explainer::Explainer(const Xapian::Database& database, const FusionModel& model,
                     const Xapian::Query& query, Xapian::termcount length,
                     std::vector<FieldSettings> fields)
    : database_(database),
      model_(lexical_part(model)),
      query_(query),
      length_(length),
      fields_(std::move(fields)) {
    for (const RankerSpec& spec : model_.rankers) {
        rankers_.push_back(make_lexical_ranker(spec.ranker, spec.parameters));
    }
}

std::vector<Explanation> Explainer::explain(const std::vector<Xapian::docid>& results) const {
    std::vector<Xapian::docid> documents = results;
    std::sort(documents.begin(), documents.end());
    std::vector<Explanation> explanations(documents.size(), outline());
    PoolPostings postings(database_, documents);
    const CountedWords words = counted_words(database_, query_, documents, postings);
    if (words.why_not.empty()) {
        explain_words(words, postings, explanations);
    } else {
        explain_matches(documents, explanations);
    }
    for (std::size_t i = 0; i < documents.size(); ++i) {
        if (postings.damaged().contains(documents[i])) explanations[i].note = kDamagedRecord;
    }
    std::vector<Explanation> in_order;
    for (const Xapian::docid docid : results) {
        const auto at = std::lower_bound(documents.begin(), documents.end(), docid);
        in_order.push_back(explanations[static_cast<std::size_t>(at - documents.begin())]);
    }
    return in_order;
}

Explanation Explainer::outline() const {
    Explanation explanation;
    for (const RankerSpec& spec : model_.rankers) {
        const LexicalRankerInfo& info = lexical_rankers().find(spec.ranker);
        explanation.rankers.push_back({.label = spec.label(),
                                       .ranker = spec.ranker,
                                       .formula = info.formula,
                                       .weight = spec.weight});
    }
    return explanation;
}

// What a ranker sees of the documents: the whole text or one field.
struct Explainer::Text {
    CountedWords words;
    double norm = 0;
    QueryStatistics query;
    BoundStatistics bounds;  ///< Bounds over all documents.
    bool field = false;
    std::vector<DocumentStatistics> documents;
};

void Explainer::explain_words(const CountedWords& words, PoolPostings& postings,
                              std::vector<Explanation>& explanations) const {
    const Text whole{.words = words,
                     .norm = words.query_norm(),
                     .query = {collection_statistics(database_), static_cast<double>(length_)},
                     .bounds = bound_statistics(database_, ""),
                     .documents = postings.records()};
    for (std::size_t k = 0; k < rankers_.size(); ++k) {
        const std::string& name = model_.rankers[k].field;
        if (name.empty()) {
            explain_ranker(k, whole, explanations);
            continue;
        }
        try {
            if (lexical_rankers().find(model_.rankers[k].ranker).traits.blends_fields) {
                Text text = whole;
                text.words = words_in_blend(database_, words, make_blend(name, fields_), postings);
                explain_ranker(k, text, explanations);
                continue;
            }
            const FieldCollection field = field_collections(database_, {name}).front();
            Text text{.words = words_in_field(database_, words, field, postings),
                      .query = {},
                      .bounds = field_bounds(database_, ""),
                      .field = true,
                      .documents = postings.field_records(name)};
            text.norm = text.words.query_norm();
            text.query = {field.collection, length_of(text.words)};
            explain_ranker(k, text, explanations);
        } catch (const ModelMismatch& error) {  // A ranker of weight 0 that needs more.
            for (Explanation& explanation : explanations)
                explanation.rankers[k].note = error.what();
        }
    }
}

void Explainer::explain_ranker(std::size_t k, const Text& text,
                               std::vector<Explanation>& explanations) const {
    const auto of_document = rankers_[k]->document_scorer(text.query);
    const LexicalTraits& traits = lexical_rankers().find(model_.rankers[k].ranker).traits;
    std::vector<WordScorer> scorers;
    double bound = 0;
    for (const CountedWord& word : text.words.words) {
        scorers.emplace_back(*rankers_[k], word, traits.needs_norm ? text.norm : 0);
        bound += scorers.back().bound();
    }
    if (of_document) bound += of_document->upper_bound(text.bounds);
    for (std::size_t i = 0; i < explanations.size(); ++i) {
        RankerExplanation& ranker = explanations[i].rankers[k];
        double value = 0;
        for (std::size_t w = 0; w < scorers.size(); ++w) {
            const CountedWord& word = text.words.words[w];
            if (word.counts[i] == 0) continue;
            DocumentStatistics document = text.documents[i];
            document.occurrences = word.counts[i];
            if (text.field) document = with_occurrences(text.documents[i], word.counts[i]);
            const double part = scorers[w].score(i, document);
            ranker.terms.push_back({word.term, word.query_occurrences, word.counts[i], part});
            value += part;
        }
        if (of_document) ranker.document_value = of_document->score(text.documents[i]);
        ranker.value = rankers_[k]->finish(value + ranker.document_value);
        ranker.contribution = ranker.weight * *ranker.value;
        ranker.bound = rankers_[k]->finish(bound);
    }
}

void Explainer::explain_matches(std::span<const Xapian::docid> documents,
                                std::vector<Explanation>& explanations) const {
    for (std::size_t k = 0; k < rankers_.size(); ++k) {
        const RankerMatches matches =
            matches_by(database_, model_.rankers[k], query_, length_, documents);
        for (std::size_t i = 0; i < documents.size(); ++i) {
            RankerExplanation& ranker = explanations[i].rankers[k];
            if (matches.values[i]) {
                ranker.value = *matches.values[i];
                ranker.contribution = ranker.weight * *ranker.value;
                ranker.bound = matches.bound;
            } else if (explanations[i].note.empty()) {
                explanations[i].note = matches.problem;
            }
        }
    }
}

namespace {

// Bytes that valid text doesn't have: they stand for the highlights until the text is unescaped.
constexpr char kBegin = '\x01';
constexpr char kEnd = '\x02';

std::string one_line(const std::string& text) {
    std::string line;
    line.reserve(text.size());
    for (const char c : text) {
        const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
        if (!blank) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    return line;
}

// Xapian escapes its snippets for HTML: only these, and "&" only as the first.
std::string_view unescape(std::string_view& rest) {
    for (const auto& [escape, plain] : {std::pair<std::string_view, std::string_view>{"&amp;", "&"},
                                        {"&lt;", "<"},
                                        {"&gt;", ">"},
                                        {"&quot;", "\""}}) {
        if (rest.substr(0, escape.size()) == escape) {
            rest.remove_prefix(escape.size());
            return plain;
        }
    }
    const std::string_view first = rest.substr(0, 1);
    rest.remove_prefix(1);
    return first;
}

}  // namespace

std::string make_snippet(const Xapian::MSet& mset, const std::string& text,
                         const Xapian::Stem& stemmer, const SnippetOptions& options) {
    if (options.length == 0 || text.empty()) return "";
    const std::string escaped =
        mset.snippet(one_line(text), options.length, stemmer,
                     Xapian::MSet::SNIPPET_BACKGROUND_MODEL | Xapian::MSet::SNIPPET_EXHAUSTIVE,
                     std::string(1, kBegin), std::string(1, kEnd), "...");
    std::string result;
    for (std::string_view rest = escaped; !rest.empty();) {
        if (rest.front() == kBegin || rest.front() == kEnd) {
            result += rest.front() == kBegin ? options.highlight_begin : options.highlight_end;
            rest.remove_prefix(1);
        } else if (options.html) {
            result += rest.front();
            rest.remove_prefix(1);
        } else {
            result += unescape(rest);
        }
    }
    return result;
}

}  // namespace braid
