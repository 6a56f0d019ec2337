// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "braid/core/eval/paired_tests.h"

namespace braid {
namespace {

constexpr std::size_t kExactUpTo = 25;

// Two differences of measures may be equal on paper and differ in the last bits.
constexpr double kSameWithin = 1e-12;

// The ranks of sizes, as twice the rank so that the mean rank of a tie is whole.
struct SignedRanks {
    std::vector<std::uint32_t> doubled;
    std::uint64_t doubled_positive = 0;  // The sum over positive differences.
    double tie_loss = 0;                 // Sum over ties of t^3 - t.
};

SignedRanks rank_sizes(std::vector<double> differences) {
    std::sort(differences.begin(), differences.end(),
              [](double a, double b) { return std::abs(a) < std::abs(b); });
    SignedRanks ranks;
    const double same = kSameWithin * std::abs(differences.back());
    for (std::size_t first = 0; first < differences.size();) {
        std::size_t last = first + 1;
        while (last < differences.size() &&
               std::abs(differences[last]) - std::abs(differences[last - 1]) <= same) {
            ++last;
        }
        // Ranks first + 1 .. last, twice their mean.
        const auto doubled = static_cast<std::uint32_t>(first + last + 1);
        for (std::size_t i = first; i < last; ++i) {
            ranks.doubled.push_back(doubled);
            if (differences[i] > 0) ranks.doubled_positive += doubled;
        }
        const auto tied = static_cast<double>(last - first);
        ranks.tie_loss += tied * tied * tied - tied;
        first = last;
    }
    return ranks;
}

// significance.md (5a): counts the sets of ranks by their sum; given the ties, each is as likely
// as any other. At most 2^25 sets, so counts and sums are exact in a double.
double exact_p(const SignedRanks& ranks) {
    const std::size_t count = ranks.doubled.size();
    const std::size_t highest = count * (count + 1);
    std::vector<double> sets(highest + 1, 0.0);
    sets[0] = 1;
    std::size_t reached = 0;
    for (const std::uint32_t rank : ranks.doubled) {
        for (std::size_t sum = reached + 1; sum-- > 0;) sets[sum + rank] += sets[sum];
        reached += rank;
    }
    // The distribution is symmetric about highest / 2: one tail is enough.
    const std::size_t tail =
        std::min<std::size_t>(ranks.doubled_positive, highest - ranks.doubled_positive);
    double in_tail = 0;
    for (std::size_t sum = 0; sum <= tail; ++sum) in_tail += sets[sum];
    return std::min(1.0, 2 * in_tail / std::ldexp(1.0, static_cast<int>(count)));
}

// significance.md (5b).
double approximate_p(const SignedRanks& ranks) {
    const auto n = static_cast<double>(ranks.doubled.size());
    const double centre = n * (n + 1) / 4;
    const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_loss / 48;
    const double distance = std::abs(static_cast<double>(ranks.doubled_positive) / 2 - centre);
    const double z = std::max(distance - 0.5, 0.0) / std::sqrt(variance);
    return std::erfc(z / std::sqrt(2.0));
}

}  // namespace

PairedTestResult wilcoxon_test(std::span<const double> differences) {
    std::vector<double> others;
    for (const double difference : differences) {
        if (difference != 0) others.push_back(difference);
    }
    PairedTestResult result;
    result.count = others.size();
    result.exact = others.size() <= kExactUpTo;
    if (others.empty()) return result;
    const SignedRanks ranks = rank_sizes(std::move(others));
    result.statistic = static_cast<double>(ranks.doubled_positive) / 2;
    result.p = result.exact ? exact_p(ranks) : approximate_p(ranks);
    return result;
}

}  // namespace braid
