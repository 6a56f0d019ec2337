// SPDX-License-Identifier: GPL-2.0-or-later
// What SourceRanking tells of a query, apart from any ranking.
#include <algorithm>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/ranking/source_ranking.h"

namespace braid {

// Rankers of one topic model, and weights that follow from it, fold a query in once.
const std::vector<float>& SourceRanking::fold(Opened& opened, const WordCounts& words) {
    if (opened.vector.empty() || opened.words != words) {
        opened.vector = opened.model.fold(words).vector;
        opened.words = words;
    }
    return opened.vector;
}

QueryTopics SourceRanking::topics_of(const std::string& name,
                                     const std::map<std::string, double>& terms) {
    const auto spec =
        std::find_if(model_.rankers.begin(), model_.rankers.end(), [&](const RankerSpec& ranker) {
            return topic_model_of(ranker) == name && family_of(ranker) != RankerFamily::kVector;
        });
    if (spec == model_.rankers.end()) {
        throw InvalidArgument(fmt::format("no ranker uses the topic model '{}'", name));
    }
    Opened& opened = open(*spec);
    const WordCounts words = query_words(terms, opened.model.record(), opened.stemmer);
    QueryTopics topics{.vector = fold(opened, words)};
    double known = 0;
    for (const auto& [word, count] : words) {
        known += opened.model.term_vector(word) == nullptr ? 0 : 1;
    }
    // As SourcePart::known has it.
    const auto all = static_cast<double>(words.size());
    if (known > 0) topics.known = 1 - (all - known) / all;
    return topics;
}

}  // namespace braid
