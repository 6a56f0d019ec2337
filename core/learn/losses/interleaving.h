// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The most violated ranking of two classes; not installed. docs/algorithms/svm-map.md.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace braid {

/// For each irrelevant document how many relevant ones precede it in the ranking that maximises
/// what the measure loses plus (mean over pairs of) 2 (irrelevant - relevant score) of pairs in the
/// wrong order: equations (4) to (6). Both lists are descending. `lost(k, j)` is what the
/// k-th relevant document loses where the j-th irrelevant one comes to precede it, too (from
/// 1); it may not rise with j. The result is ascending. O((R + N) log N), against the R N of
/// looking at all pairs. Where several rankings are best, the one closest to a perfect one.
template <typename Lost>
void most_violated(std::span<const double> relevant, std::span<const double> irrelevant,
                   const Lost& lost, double per_pair, std::span<std::uint32_t> preceding) {
    struct Part {
        std::size_t first, last;  // Irrelevant documents, last excluded.
        std::size_t low, high;    // What `preceding` of them can be.
    };
    std::vector<Part> parts = {{0, irrelevant.size(), 0, relevant.size()}};
    while (!parts.empty()) {
        const Part part = parts.back();
        parts.pop_back();
        if (part.first == part.last) continue;
        const std::size_t middle = part.first + (part.last - part.first) / 2;
        double gain = 0;
        double most = 0;
        std::size_t best = part.high;
        for (std::size_t k = part.high; k > part.low; --k) {
            gain += lost(k, middle + 1) - per_pair * (relevant[k - 1] - irrelevant[middle]);
            if (gain <= most) continue;
            most = gain;
            best = k - 1;
        }
        preceding[middle] = static_cast<std::uint32_t>(best);
        parts.push_back({part.first, middle, part.low, best});
        parts.push_back({middle + 1, part.last, best, part.high});
    }
}

}  // namespace braid
