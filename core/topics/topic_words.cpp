// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/topic_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace braid {

void scale_to_unit(std::span<float> vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    if (squares == 0) return;
    const double scale = 1 / std::sqrt(squares);
    for (float& x : vector) x = static_cast<float>(x * scale);
}

std::vector<Topic::Word> top_words(const std::vector<std::string>& vocabulary, std::size_t count,
                                   const std::function<double(std::size_t)>& weight) {
    struct Candidate {
        std::size_t term;
        double weight;
    };
    std::vector<Candidate> candidates;
    candidates.reserve(vocabulary.size());
    for (std::size_t t = 0; t < vocabulary.size(); ++t) {
        if (const double w = weight(t); w != 0) candidates.push_back({t, w});
    }
    const auto kept = static_cast<std::ptrdiff_t>(std::min(count, candidates.size()));
    std::partial_sort(candidates.begin(), candidates.begin() + kept, candidates.end(),
                      [](const Candidate& a, const Candidate& b) {
                          if (std::abs(a.weight) != std::abs(b.weight)) {
                              return std::abs(a.weight) > std::abs(b.weight);
                          }
                          return a.term < b.term;
                      });
    std::vector<Topic::Word> words;
    for (auto c = candidates.begin(); c != candidates.begin() + kept; ++c) {
        words.push_back({vocabulary[c->term], c->weight});
    }
    return words;
}

namespace {

/// The documents of a word, a bit each.
struct WordDocuments {
    std::vector<std::uint64_t> bits;
    double documents = 0;
};

double normalised_pmi(const WordDocuments& a, const WordDocuments& b, double documents) {
    std::size_t together = 0;
    for (std::size_t i = 0; i < a.bits.size(); ++i) {
        together += static_cast<std::size_t>(std::popcount(a.bits[i] & b.bits[i]));
    }
    if (together == 0) return -1;
    const double joint = static_cast<double>(together) / documents;
    if (joint == 1) return 0;
    return std::log(joint * documents * documents / (a.documents * b.documents)) / -std::log(joint);
}

/// The ids in `counts` of a topic's first words; those it does not have are left out.
std::vector<std::uint32_t> term_ids(const Topic& topic, const TermDocumentCounts& counts,
                                    std::size_t words) {
    std::vector<std::uint32_t> ids;
    for (std::size_t i = 0; i < std::min(words, topic.words.size()); ++i) {
        const std::size_t id = counts.find(topic.words[i].term);
        if (id < counts.vocabulary.size()) ids.push_back(static_cast<std::uint32_t>(id));
    }
    return ids;
}

}  // namespace

std::vector<double> topic_coherence(const std::vector<Topic>& topics,
                                    const TermDocumentCounts& counts, std::size_t words) {
    std::vector<std::vector<std::uint32_t>> ids;
    std::unordered_map<std::uint32_t, WordDocuments> of_word;
    for (const Topic& topic : topics) {
        ids.push_back(term_ids(topic, counts, words));
        for (const std::uint32_t id : ids.back()) {
            of_word[id].bits.resize((counts.documents() + 63) / 64);
        }
    }
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        for (const std::uint32_t term : counts.document(d).terms) {
            const auto found = of_word.find(term);
            if (found == of_word.end()) continue;
            found->second.bits[d / 64] |= std::uint64_t{1} << (d % 64);
            ++found->second.documents;
        }
    }
    std::vector<double> result;
    for (const std::vector<std::uint32_t>& topic : ids) {
        double sum = 0;
        double pairs = 0;
        for (std::size_t i = 0; i < topic.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                sum += normalised_pmi(of_word[topic[i]], of_word[topic[j]],
                                      static_cast<double>(counts.documents()));
                ++pairs;
            }
        }
        result.push_back(pairs > 0 ? sum / pairs : 0);
    }
    return result;
}

}  // namespace braid
