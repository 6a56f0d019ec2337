// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "braid/core/lexical/ranker.h"
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

}  // namespace

LexicalRankerInfo lexical::with_average_length(LexicalRankerInfo info) {
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

}  // namespace braid
