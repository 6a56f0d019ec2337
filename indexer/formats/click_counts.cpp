// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/click_counts.h"

namespace braid {

void ClickCounts::add(std::string_view query, std::string_view document, std::size_t position,
                      double shown, double clicks) {
    std::string name(query);
    name += '\0';
    name += document;
    const auto [found, is_new] = by_name_.emplace(std::move(name), pairs_.size());
    if (is_new) pairs_.push_back({std::string(query), std::string(document)});
    Pair& pair = pairs_[found->second];
    pair.shown += shown;
    pair.clicks += clicks;
    showings_.push_back({found->second, position, shown});
    places_[position].shown += shown;
    places_[position].clicks += clicks;
}

// What each pair would get if only positions decided.
std::vector<double> ClickCounts::expected_clicks() const {
    std::vector<double> expected(pairs_.size(), 0);
    for (const Showing& showing : showings_) {
        const Place& place = places_.at(showing.position);
        if (place.shown > 0) {
            expected[showing.pair] += showing.shown * place.clicks / place.shown;
        }
    }
    return expected;
}

Judgements ClickCounts::judge(double least_shown) const {
    const std::vector<double> expected = expected_clicks();
    Judgements judgements;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const Pair& pair = pairs_[i];
        Grade grade = 0;
        if (pair.clicks > 0) {
            // One click more on both sides: a single one says little.
            const double ratio = (pair.clicks + 1) / (expected[i] + 1);
            grade = ratio < 1 ? 1 : ratio < 2 ? 2 : 3;
        } else if (pair.shown < least_shown) {
            continue;
        }
        judgements.add(pair.query, pair.document, grade);
    }
    return judgements;
}

}  // namespace braid
