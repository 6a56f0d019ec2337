// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/evaluation/run.h"

#include <algorithm>

namespace braid {

QueryRun& Run::query(std::string_view query) {
    auto place = by_query_.find(query);
    if (place == by_query_.end()) {
        queries_.push_back({std::string(query), {}});
        place = by_query_.emplace(queries_.back().query, queries_.size() - 1).first;
    }
    return queries_[place->second];
}

const QueryRun* Run::find(std::string_view query) const {
    const auto place = by_query_.find(query);
    return place == by_query_.end() ? nullptr : &queries_[place->second];
}

void rank_documents(std::vector<ScoredDocument>& documents) {
    std::sort(documents.begin(), documents.end(),
              [](const ScoredDocument& a, const ScoredDocument& b) {
                  return a.score != b.score ? a.score > b.score : a.document > b.document;
              });
}

}  // namespace braid
