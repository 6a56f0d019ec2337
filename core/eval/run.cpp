// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/run.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace braid {

QueryRun& Run::query(std::string_view query) {
    auto place = by_query_.find_exactly(query);
    if (!place) {
        place = queries_.size();
        queries_.push_back({std::string(query), {}});
        by_query_.add(queries_.back().query, *place);
    }
    return queries_[*place];
}

const QueryRun* Run::find(std::string_view query) const {
    const auto place = by_query_.find(query);
    return place ? &queries_[*place] : nullptr;
}

std::string_view Run::keep(std::string text) {
    texts_.push_back(std::move(text));
    return texts_.back();
}

void rank_documents(std::vector<ScoredDocument>& documents) {
    const auto key = [](const ScoredDocument& document) {
        return std::isnan(document.score) ? -std::numeric_limits<double>::infinity()
                                          : document.score;
    };
    const auto before = [key](const ScoredDocument& a, const ScoredDocument& b) {
        const double score_a = key(a);
        const double score_b = key(b);
        return score_a != score_b ? score_a > score_b : a.document > b.document;
    };
    // Most runs come sorted.
    if (std::is_sorted(documents.begin(), documents.end(), before)) return;
    std::sort(documents.begin(), documents.end(), before);
}

}  // namespace braid
