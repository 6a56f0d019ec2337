// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "braid/core/base/error.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/eval/summary.h"

namespace braid {
namespace {

constexpr std::size_t kExactUpTo = 32;

// The sums that every assignment of signs to `values` gives, ascending.
std::vector<double> all_sums(std::span<const double> values) {
    std::vector<double> sums = {0.0};
    for (const double value : values) {
        std::vector<double> next;
        next.reserve(2 * sums.size());
        for (const double sum : sums) {
            next.push_back(sum - value);
            next.push_back(sum + value);
        }
        sums = std::move(next);
    }
    std::sort(sums.begin(), sums.end());
    return sums;
}

// The share of the 2^n assignments whose sum is `bound` > 0 or more in size. Each sum is one of
// the first half's plus one of the second half's; walking the first up and the second down counts
// the pairs in 2^(n/2) steps. By symmetry the two tails are equal.
double exact_share(std::span<const double> values, double bound) {
    const std::vector<double> left = all_sums(values.first(values.size() / 2));
    const std::vector<double> right = all_sums(values.subspan(values.size() / 2));
    double pairs = 0;
    std::size_t enough = right.size();  // right[enough] and above reach the bound.
    for (const double sum : left) {
        while (enough > 0 && sum + right[enough - 1] >= bound) --enough;
        pairs += static_cast<double>(right.size() - enough);
    }
    return std::min(
        1.0, 2 * pairs / (static_cast<double>(left.size()) * static_cast<double>(right.size())));
}

// Eight signs at a time: the sum of eight values for each of the 256 ways to give them signs.
class SignedSums {
  public:
    explicit SignedSums(std::span<const double> values) : tables_((values.size() + 7) / 8) {
        for (std::size_t t = 0; t < tables_.size(); ++t) {
            for (std::size_t signs = 0; signs < 256; ++signs) {
                double sum = 0;
                for (std::size_t bit = 0; bit < 8 && 8 * t + bit < values.size(); ++bit) {
                    const double value = values[8 * t + bit];
                    sum += (signs >> bit & 1) != 0 ? value : -value;
                }
                tables_[t][signs] = sum;
            }
        }
    }

    double sample(Random& random) const {
        double sum = 0;
        for (std::size_t t = 0; t < tables_.size(); t += 8) {
            std::uint64_t signs = random.bits();
            for (std::size_t i = t; i < std::min(t + 8, tables_.size()); ++i, signs >>= 8) {
                sum += tables_[i][signs & 255];
            }
        }
        return sum;
    }

  private:
    std::vector<std::array<double, 256>> tables_;
};

}  // namespace

PairedTestResult randomisation_test(std::span<const double> differences,
                                    const RandomisationOptions& options) {
    if (options.samples == 0) throw InvalidArgument("a randomisation test of 0 samples");
    std::vector<double> others;
    double total = 0;
    double size = 0;
    for (const double difference : differences) {
        if (difference == 0) continue;
        others.push_back(difference);
        total += difference;
        size += std::abs(difference);
    }
    PairedTestResult result;
    result.count = others.size();
    result.exact = others.size() <= kExactUpTo;
    if (others.empty()) return result;
    result.statistic = mean(differences);
    // Sums that are equal on paper differ by rounding; they must count as reaching the bound.
    const double bound = std::abs(total) - 1e-12 * size;
    if (bound <= 0) return result;
    if (result.exact) {
        result.p = exact_share(others, bound);
        return result;
    }
    const SignedSums sums(others);
    Random random(options.seed);
    std::size_t reached = 0;
    for (std::size_t i = 0; i < options.samples; ++i) {
        if (std::abs(sums.sample(random)) >= bound) ++reached;
    }
    // The observed assignment is one of those that could have been drawn.
    result.p = static_cast<double>(reached + 1) / static_cast<double>(options.samples + 1);
    return result;
}

}  // namespace braid
