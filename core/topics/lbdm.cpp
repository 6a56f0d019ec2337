// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lbdm.h"

#include <cmath>

namespace braid {

double topic_probability(std::span<const float> word, std::span<const float> document,
                         std::size_t chains) {
    const std::size_t topics = word.size() / chains;
    double mean = 0;
    for (std::size_t c = 0; c < chains; ++c) {
        double sum = 0;
        double length = 0;
        for (std::size_t k = c * topics; k < (c + 1) * topics; ++k) {
            sum += static_cast<double>(word[k]) * document[k];
            length += document[k];
        }
        if (length > 0) mean += sum / length;
    }
    return mean / static_cast<double>(chains);
}

double lbdm_probability(const LbdmSettings& settings, const LbdmTerm& term, double length) {
    const double smoothed =
        (term.document_count + settings.mu * term.collection_share) / (length + settings.mu);
    return settings.lambda * smoothed + (1 - settings.lambda) * term.topic_probability;
}

double lbdm_score(const LbdmSettings& settings, std::span<const LbdmTerm> query, double length) {
    double score = 0;
    for (const LbdmTerm& term : query) {
        const double probability = lbdm_probability(settings, term, length);
        if (probability > 0) score += term.query_count * std::log(probability);
    }
    return score;
}

}  // namespace braid
