// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/rankers.h"

namespace braid {

const Registry<LexicalRankerInfo>& lexical_rankers() {
    static const Registry<LexicalRankerInfo> registry = [] {
        std::vector<LexicalRankerInfo> entries = {
            lexical::with_average_length(lexical::bm25()),
            lexical::with_average_length(lexical::bm25_plus()),
            lexical::bm25f(),
            lexical::with_average_length(lexical::log_bm25()),
            lexical::tfidf_cosine(),
            lexical::tfidf(),
            lexical::with_average_length(lexical::tfidf_pivoted()),
            lexical::tfidf_lucene(),
            lexical::lm_dirichlet(),
            lexical::lm_jelinek_mercer(),
            lexical::lm_absolute_discount(),
            lexical::dph(),
            lexical::with_average_length(lexical::pl2()),
        };
        for (LexicalRankerInfo& feature : lexical::features()) {
            entries.push_back(std::move(feature));
        }
        return Registry<LexicalRankerInfo>("ranker", std::move(entries));
    }();
    return registry;
}

std::unique_ptr<const LexicalScorer> LexicalRanker::document_scorer(const QueryStatistics&) const {
    return nullptr;
}

std::unique_ptr<const LexicalRanker> make_lexical_ranker(const std::string& name,
                                                         const ParameterMap& parameters) {
    const LexicalRankerInfo& info = lexical_rankers().find(name);
    return info.make(resolve_parameters(name, info.parameters, parameters));
}

}  // namespace braid
