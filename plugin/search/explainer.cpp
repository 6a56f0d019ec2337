// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/explainer.h"

#include <algorithm>

#include "braid/core/models/model_parts.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/pools/pool_matches.h"
#include "braid/plugin/pools/pool_postings.h"

namespace braid {

Explainer::Explainer(const Xapian::Database& database, const FusionModel& model,
                     const Xapian::Query& query, Xapian::termcount length)
    : database_(database), model_(lexical_part(model)), query_(query), length_(length) {
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

void Explainer::explain_words(const CountedWords& words, PoolPostings& postings,
                              std::vector<Explanation>& explanations) const {
    const bool needs_norm = std::any_of(rankers_.begin(), rankers_.end(),
                                        [](const auto& ranker) { return ranker->needs_norm(); });
    const double norm = needs_norm ? words.query_norm() : 0;
    const QueryStatistics query{collection_statistics(database_), static_cast<double>(length_)};
    for (std::size_t k = 0; k < rankers_.size(); ++k) {
        const auto of_document = rankers_[k]->document_scorer(query);
        std::vector<WordScorer> scorers;
        double bound = 0;
        for (const CountedWord& word : words.words) {
            scorers.emplace_back(*rankers_[k], word, norm);
            bound += scorers.back().bound();
        }
        if (of_document) bound += of_document->upper_bound(bound_statistics(database_, ""));
        for (std::size_t i = 0; i < explanations.size(); ++i) {
            RankerExplanation& ranker = explanations[i].rankers[k];
            DocumentStatistics document = postings.records()[i];
            double value = 0;
            for (std::size_t w = 0; w < scorers.size(); ++w) {
                const CountedWord& word = words.words[w];
                if (word.counts[i] == 0) continue;
                document.occurrences = word.counts[i];
                const double part = scorers[w].score(i, document);
                ranker.terms.push_back(
                    {word.term, word.query_occurrences, document.occurrences, part});
                value += part;
            }
            if (of_document) ranker.document_value = of_document->score(document);
            ranker.value = value + ranker.document_value;
            ranker.contribution = ranker.weight * *ranker.value;
            ranker.bound = bound;
        }
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

}  // namespace braid
