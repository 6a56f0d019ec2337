// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/rankers.h"

namespace braid {

namespace {

using Rankers = LazyRegistry<LexicalRankerInfo>;

template <LexicalRankerInfo (*make)()>
LexicalRankerInfo with_length() {
    return lexical::with_average_length(make());
}

Rankers make_registry() {
    std::vector<Rankers::Item> items = {
        {"bm25", with_length<lexical::bm25>},
        {"bm25+", with_length<lexical::bm25_plus>},
        {"bm25f", lexical::bm25f},
        {"log-bm25", with_length<lexical::log_bm25>},
        {"tfidf-cosine", lexical::tfidf_cosine},
        {"tfidf", lexical::tfidf},
        {"tfidf-pivoted", with_length<lexical::tfidf_pivoted>},
        {"tfidf-lucene", lexical::tfidf_lucene},
        {"lm-dirichlet", lexical::lm_dirichlet},
        {"lm-jm", lexical::lm_jelinek_mercer},
        {"lm-absdiscount", lexical::lm_absolute_discount},
        {"dph", lexical::dph},
        {"pl2", with_length<lexical::pl2>},
    };
    for (Rankers::Item& feature : lexical::features()) items.push_back(std::move(feature));
    return {"ranker", std::move(items)};
}

}  // namespace

const LazyRegistry<LexicalRankerInfo>& lexical_rankers() {
    static const Rankers registry = make_registry();
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
