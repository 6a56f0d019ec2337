// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "braid/core/base/random.h"
#include "braid/core/topics/term_document_counts.h"

namespace braid::test {

struct RandomCountsOptions {
    std::size_t documents = 300;
    std::size_t words = 200;
    std::size_t topics = 8;
    double mean_length = 30;
    double empty_share = 0.02;
};

/// A collection with topics: a document mixes two, a topic prefers one word in `topics`, and
/// words follow Zipf's law.
inline TermDocumentCounts random_counts(std::uint64_t seed, const RandomCountsOptions& options) {
    Random random(seed);
    TermDocumentCountsBuilder builder;
    for (std::size_t d = 0; d < options.documents; ++d) {
        builder.begin_document();
        if (random.uniform() < options.empty_share) continue;
        const std::uint64_t topics[] = {random.below(options.topics), random.below(options.topics)};
        const auto length = 1 + random.below(static_cast<std::uint64_t>(2 * options.mean_length));
        for (std::uint64_t i = 0; i < length; ++i) {
            const double log_words = std::log(static_cast<double>(options.words));
            auto word = static_cast<std::uint64_t>(std::exp(random.uniform() * log_words)) - 1;
            if (random.uniform() < 0.8) {
                word = word / options.topics * options.topics + topics[random.below(2)];
            }
            builder.add("w" + std::to_string(100000 + word % options.words));
        }
    }
    return builder.build();
}

}  // namespace braid::test
