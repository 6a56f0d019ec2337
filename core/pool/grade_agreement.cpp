// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/grade_agreement.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

// Equations are those of docs/algorithms/ser.md.

namespace braid {
namespace {

Grade clamped(Grade grade, const AgreementOptions& options) {
    return std::clamp<Grade>(grade, 0, options.highest_grade);
}

}  // namespace

double pair_weight(Grade better, Grade worse, const AgreementOptions& options) {
    if (better <= worse) return 0;
    if (!options.lower_pairs && better != options.highest_grade) return 0;
    if (options.highest_grade <= 1) return 1;
    return options.theta + (1 - options.theta) * static_cast<double>(better - worse - 1) /
                               static_cast<double>(options.highest_grade - 1);
}

double grade_agreement(std::span<const double> scores, std::span<const Grade> grades,
                       const AgreementOptions& options) {
    const auto levels = static_cast<std::size_t>(options.highest_grade) + 1;
    // A of (1) by grades, the row's document before the column's.
    std::vector<double> table(levels * levels);
    for (std::size_t a = 0; a < levels; ++a) {
        for (std::size_t b = 0; b < levels; ++b) {
            table[a * levels + b] =
                pair_weight(static_cast<Grade>(a), static_cast<Grade>(b), options) -
                pair_weight(static_cast<Grade>(b), static_cast<Grade>(a), options);
        }
    }
    std::vector<std::uint32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
    std::vector<double> before(levels, 0);  // Documents above, by grade; ties count in part.
    double sum = 0;
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        std::vector<double> tied(levels, 0);
        for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
            ++tied[static_cast<std::size_t>(clamped(grades[order[end]], options))];
        }
        // A document is half before itself, too: its own A is 0, its place must not count it.
        const double share = options.ties_are_half ? 0.5 : 0;
        const double places = static_cast<double>(begin) +
                              share * (static_cast<double>(end - begin) - 1) + options.delta;
        for (std::size_t i = begin; i < end && places > 0; ++i) {
            const auto own = static_cast<std::size_t>(clamped(grades[order[i]], options));
            double column = 0;
            for (std::size_t g = 0; g < levels; ++g) {
                column += (before[g] + share * tied[g]) * table[g * levels + own];
            }
            sum += column / places;
        }
        for (std::size_t g = 0; g < levels; ++g) before[g] += tied[g];
        begin = end;
    }
    return sum;
}

}  // namespace braid
