// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/models/model_rankers.h"

#include <utility>

#include "braid/core/lexical/ranker.h"

namespace braid {

const Registry<ModelRanker>& model_rankers() {
    static const Registry<ModelRanker> registry = [] {
        std::vector<ModelRanker> entries;
        for (const LexicalRankerInfo& info : lexical_rankers()) {
            entries.push_back({info.name, info.summary, info.parameters});
        }
        return Registry<ModelRanker>("ranker", std::move(entries));
    }();
    return registry;
}

}  // namespace braid
