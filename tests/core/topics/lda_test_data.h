// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/topics/term_document_counts.h"

namespace braid::test {

/// A collection from its documents' words.
inline TermDocumentCounts make_counts(const std::vector<std::vector<std::string>>& documents) {
    TermDocumentCountsBuilder builder;
    for (const auto& words : documents) {
        builder.begin_document();
        for (const std::string& word : words) builder.add(word);
    }
    return builder.build();
}

struct PlantedOptions {
    std::size_t topics = 5;
    std::size_t words_per_topic = 20;
    std::size_t documents = 300;
    std::size_t length = 40;
    double main_share = 0.8;              ///< Of a document's words, from its own topic.
    std::vector<double> popularity = {};  ///< Of topics; empty: all the same.
};

/// Documents of one main topic each; the words of topic k are "k_0", "k_1", ...: a word's first
/// letter says its topic.
inline TermDocumentCounts planted(const PlantedOptions& options, std::uint64_t seed) {
    Random random(seed);
    const auto pick = [&] {
        if (options.popularity.empty())
            return static_cast<std::size_t>(random.below(options.topics));
        double u = random.uniform();
        std::size_t k = 0;
        while (k + 1 < options.topics && u >= options.popularity[k]) u -= options.popularity[k++];
        return k;
    };
    std::vector<std::vector<std::string>> documents(options.documents);
    for (auto& words : documents) {
        const std::size_t own = pick();
        for (std::size_t i = 0; i < options.length; ++i) {
            const std::size_t topic = random.uniform() < options.main_share ? own : pick();
            words.push_back(std::string(1, static_cast<char>('a' + topic)) + "_" +
                            std::to_string(random.below(options.words_per_topic)));
        }
    }
    return make_counts(documents);
}

}  // namespace braid::test
