// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/models/model_rankers.h"

#include <utility>

#include "braid/core/lexical/ranker.h"
#include "braid/core/topics/topic_models.h"

namespace braid {
namespace {

ModelRanker topic_ranker(const TopicModelInfo& info) {
    return {.name = info.name,
            .summary = "similarity of the query's and the document's topics: " + info.summary,
            .formula = "max(0, cos(query, document)), both as vectors of the " + info.name +
                       " model; 0 for a document without a vector",
            .parameters = {},
            .family = RankerFamily::kTopic,
            .topic_model = info.name};
}

}  // namespace

const Registry<ModelRanker>& model_rankers() {
    static const Registry<ModelRanker> registry = [] {
        std::vector<ModelRanker> entries;
        for (const LexicalRankerInfo& info : lexical_rankers()) {
            entries.push_back({.name = info.name,
                               .summary = info.summary,
                               .formula = info.formula,
                               .parameters = info.parameters});
        }
        for (const TopicModelInfo& info : topic_models()) entries.push_back(topic_ranker(info));
        return Registry<ModelRanker>("ranker", std::move(entries));
    }();
    return registry;
}

}  // namespace braid
