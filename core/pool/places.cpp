// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/places.h"

#include <algorithm>
#include <vector>

namespace braid {
namespace {

// Up to so many documents it is quicker to compare each with all, without branches.
constexpr std::size_t kFew = 24;

void by_counting(std::span<const std::uint32_t> documents, std::span<const double> scores,
                 std::span<const std::uint32_t> ties, std::span<std::uint32_t> places) {
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const double own = scores[documents[i]];
        std::int64_t greater = 0;
        std::int64_t not_less = 0;
        for (const double score : scores) {
            greater += score > own;
            not_less += score >= own;
        }
        places[i] = static_cast<std::uint32_t>(greater);
        if (not_less == greater + 1) continue;  // Nobody else has that score.
        const std::uint32_t tie = ties[documents[i]];
        for (std::size_t d = 0; d < scores.size(); ++d) {
            places[i] += scores[d] == own && ties[d] < tie ? 1 : 0;
        }
    }
}

struct Tracked {
    double score;
    std::uint32_t tie;
    std::uint32_t at;  // In the list that was asked for.
};

bool is_before(double score, std::uint32_t tie, const Tracked& other) {
    return score != other.score ? score > other.score : tie < other.tie;
}

// For each document the number of tracked ones before it, by bisection; then running sums.
void by_bisection(std::span<const std::uint32_t> documents, std::span<const double> scores,
                  std::span<const std::uint32_t> ties, std::span<std::uint32_t> places) {
    std::vector<Tracked> tracked(documents.size());
    for (std::uint32_t i = 0; i < documents.size(); ++i) {
        tracked[i] = {scores[documents[i]], ties[documents[i]], i};
    }
    std::sort(tracked.begin(), tracked.end(),
              [](const Tracked& a, const Tracked& b) { return is_before(a.score, a.tie, b); });
    std::vector<double> keys;
    for (const Tracked& document : tracked) keys.push_back(document.score);
    std::vector<std::uint32_t> counts(keys.size() + 1, 0);
    for (std::size_t d = 0; d < scores.size(); ++d) {
        const double score = scores[d];
        std::size_t before = 0;
        for (std::size_t left = keys.size(); left > 1; left -= left / 2) {
            before += keys[before + left / 2 - 1] > score ? left / 2 : 0;
        }
        before += keys[before] > score ? 1 : 0;
        if (before < keys.size() && keys[before] == score) {
            const auto end = std::partition_point(
                tracked.begin() + static_cast<std::ptrdiff_t>(before), tracked.end(),
                [&](const Tracked& other) {
                    return other.score == score ? other.tie < ties[d] : other.score > score;
                });
            before = static_cast<std::size_t>(end - tracked.begin());
        }
        ++counts[before];
    }
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < tracked.size(); ++i) {
        sum += counts[i];
        places[tracked[i].at] = sum - 1;  // Each counts itself.
    }
}

}  // namespace

void places_of(std::span<const std::uint32_t> documents, std::span<const double> scores,
               std::span<const std::uint32_t> ties, std::span<std::uint32_t> places) {
    (documents.size() <= kFew ? by_counting : by_bisection)(documents, scores, ties, places);
}

}  // namespace braid
