// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/vectors.h"

#include <algorithm>
#include <cmath>

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

}  // namespace braid
