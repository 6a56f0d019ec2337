// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "braid/core/lexical/rankers.h"

namespace braid {
namespace {

// A ranker that is told of documents which are so long on average, however long they are.
class AverageLength final : public LexicalRanker {
  public:
    AverageLength(std::unique_ptr<const LexicalRanker> ranker, double average)
        : ranker_(std::move(ranker)), average_(average) {}

    std::unique_ptr<const LexicalScorer> term_scorer(const TermStatistics& term) const override {
        TermStatistics told = term;
        told.collection = of_average(term.collection);
        return ranker_->term_scorer(told);
    }
    std::unique_ptr<const LexicalScorer> document_scorer(
        const QueryStatistics& query) const override {
        return ranker_->document_scorer({of_average(query.collection), query.length});
    }
    double finish(double sum) const override { return ranker_->finish(sum); }

  private:
    CollectionStatistics of_average(const CollectionStatistics& collection) const {
        return {collection.documents, collection.documents * average_};
    }

    std::unique_ptr<const LexicalRanker> ranker_;
    double average_;
};

// With one more parameter: the average length to use in the formula instead of the collection's; 0:
// the collection's.
LexicalRankerInfo with_average_length(LexicalRankerInfo info) {
    info.parameters.push_back(
        {kAverageLength, 0, 0, 1e9,
         "average length of documents (0: the actual one, of the field that is scored)"});
    info.make = [make = std::move(info.make)](const std::vector<double>& values) {
        std::unique_ptr<const LexicalRanker> ranker =
            make(std::vector<double>(values.begin(), values.end() - 1));
        if (!(values.back() > 0)) return ranker;
        return std::unique_ptr<const LexicalRanker>(
            std::make_unique<AverageLength>(std::move(ranker), values.back()));
    };
    return info;
}

using Rankers = LazyRegistry<LexicalRankerInfo>;

template <LexicalRankerInfo (*make)()>
LexicalRankerInfo with_length() {
    return with_average_length(make());
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
