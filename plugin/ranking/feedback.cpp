// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/feedback.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "braid/plugin/database/statistics.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/query/repaired_query.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/store/terms.h"

namespace braid {
namespace {

// Words that more documents have than this share say little of any topic.
constexpr double kMostCommon = 0.1;
// With few documents that share is fewer than two.
constexpr double kRareEnough = 10;

WordForm form_of(const std::map<std::string, double>& terms) {
    const bool stems = std::any_of(terms.begin(), terms.end(), [](const auto& term) {
        return !word_of_term(WordForm::kStems, term.first).empty();
    });
    return stems ? WordForm::kStems : WordForm::kWords;
}

// (1): p(w|R) of all words of the documents.
std::map<std::string, double> relevance_model(const Xapian::Database& database,
                                              const std::vector<FeedbackDocument>& documents,
                                              WordForm form) {
    std::map<std::string, double> model;
    double scores = 0;
    for (const FeedbackDocument& document : documents) scores += document.score;
    for (const FeedbackDocument& document : documents) {
        const WordCounts words = document_words(database.get_document(document.docid), form).words;
        double length = 0;
        for (const auto& [word, count] : words) length += count;
        for (const auto& [word, count] : words) {
            model[term_of_word(form, word)] += document.score / scores * count / length;
        }
    }
    return model;
}

}  // namespace

FusionModel ExpandedQuery::model(double weight) {
    // With a large k3 the part of a term is proportional to its occurrences in the query.
    return {.rankers = {{.ranker = "bm25", .parameters = {{"k3", 1e6}}, .weight = weight}}};
}

ExpandedQuery::ExpandedQuery(const Xapian::Database& database, const Xapian::Query& text,
                             const TermFeedbackSettings& settings,
                             const std::shared_ptr<TimeLimit>& limit) {
    bag_.collection = collection_statistics(database);
    for (const auto& [term, count] : scored_terms(text)) {
        const TermStatistics statistics = term_statistics(database, bag_.collection, term, count);
        bag_.terms.push_back({term, count, statistics.documents, statistics.occurrences});
        bag_.length += count;
    }
    if (!bag_.terms.empty()) expand(database, text, settings, limit);
    const RankerSpec spec = model(1).rankers.front();
    const auto ranker = make_lexical_ranker(spec.ranker, spec.parameters);
    for (const BagTerm& term : bag_.terms) {
        scorers_.push_back(ranker->term_scorer(bag_.statistics(term)));
        bound_ += scorers_.back()->upper_bound(bound_statistics(database, term.term));
    }
}

void ExpandedQuery::expand(const Xapian::Database& database, const Xapian::Query& text,
                           const TermFeedbackSettings& settings,
                           const std::shared_ptr<TimeLimit>& limit) {
    FusedSource first(FusionModel{}, bag_);
    first.stop_at(limit);
    const Xapian::Query query = with_scored_part(text, Xapian::Query(first.clone()->release()));
    const auto documents = best_documents(database, query, settings.documents, limit);
    if (documents.empty() || settings.terms == 0) return;
    std::map<std::string, double> terms;
    for (const BagTerm& term : bag_.terms) terms[term.term] = term.query_occurrences;
    std::vector<std::pair<std::string, double>> found;
    const double most = std::max(kRareEnough, kMostCommon * bag_.collection.documents);
    for (auto& [term, share] : relevance_model(database, documents, form_of(terms))) {
        if (static_cast<double>(database.get_termfreq(term)) <= most) {
            found.emplace_back(term, share);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& left, const auto& right) {
        return left.second > right.second;
    });
    found.resize(std::min(found.size(), settings.terms));
    double sum = 0;
    for (const auto& [term, share] : found) sum += share;
    if (sum == 0) return;
    // (2), times the query's length.
    for (auto& [term, weight] : terms) weight *= settings.mix;
    for (const auto& [term, share] : found) {
        terms[term] += (1 - settings.mix) * bag_.length * share / sum;
    }
    bag_.terms.clear();
    for (const auto& [term, weight] : terms) {
        const TermStatistics statistics = term_statistics(database, bag_.collection, term, weight);
        bag_.terms.push_back({term, weight, statistics.documents, statistics.occurrences});
    }
}

double ExpandedQuery::score(std::span<const double> counts, double length) const {
    double sum = 0;
    for (std::size_t i = 0; i < scorers_.size(); ++i) {
        if (counts[i] > 0) sum += scorers_[i]->score({counts[i], length, 0});
    }
    return sum;
}

std::vector<FeedbackDocument> best_documents(const Xapian::Database& database,
                                             const Xapian::Query& query, std::size_t count,
                                             const std::shared_ptr<TimeLimit>& limit) {
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(Xapian::CoordWeight());
    enquire.set_query(within_time(keep_phrases_apart(query), limit));
    const Xapian::MSet found =
        enquire.get_mset(0, safe_count(database, query, static_cast<Xapian::doccount>(count)),
                         safe_check(database, query, 0));
    std::vector<FeedbackDocument> documents;
    for (auto hit = found.begin(); hit != found.end() && documents.size() < count; ++hit) {
        if (hit.get_weight() > 0) documents.push_back({*hit, hit.get_weight()});
    }
    return documents;
}

// (3)
std::vector<float> moved_towards(std::span<const float> query,
                                 const std::vector<std::vector<float>>& documents, double mix) {
    std::vector<double> mean(query.size());
    for (const std::vector<float>& document : documents) {
        for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += static_cast<double>(document[k]);
    }
    double length = 0;
    for (const double value : mean) length += value * value;
    length = std::sqrt(length);
    std::vector<float> moved(query.begin(), query.end());
    if (!(length > 0)) return moved;
    double norm = 0;
    for (std::size_t k = 0; k < mean.size(); ++k) {
        mean[k] = mix * static_cast<double>(query[k]) + (1 - mix) * mean[k] / length;
        norm += mean[k] * mean[k];
    }
    norm = std::sqrt(norm);
    if (!(norm > 0)) return moved;
    for (std::size_t k = 0; k < mean.size(); ++k) moved[k] = static_cast<float>(mean[k] / norm);
    return moved;
}

}  // namespace braid
