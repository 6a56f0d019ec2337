// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/paired_tests.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/eval/summary.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr double kPi = 3.14159265358979323846;

// ln Gamma(z + 1) - [(z + 1/2) ln z - z + ln(2 pi) / 2], the rest of Stirling's formula, for
// z > 0: significance.md (4). Below 15 the argument is first raised by Gamma(z + 1) = Gamma(z +
// n + 1) / ((z + 1) .. (z + n)).
double stirling_rest(double z) {
    double rest = 0;
    double raised = z;
    if (z < 15) {
        double product = 1;
        while (raised < 15) {
            raised += 1;
            product *= raised;
        }
        rest = (raised + 0.5) * std::log(raised) - (z + 0.5) * std::log(z) - (raised - z) -
               std::log(product);
    }
    const double w = 1 / (raised * raised);
    const double series =
        1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w / 1188)));
    return rest + series / raised;
}

// x ln(x / m) + m - x for x, m > 0, without the cancellation where they are close: with
// v = (x - m) / (x + m) it is (x - m) v + 2 x sum_{j >= 1} v^(2j+1) / (2j + 1).
double deviance(double x, double m) {
    const double difference = x - m;
    if (std::abs(difference) >= 0.1 * (x + m)) return x * std::log(x / m) - difference;
    const double v = difference / (x + m);
    double sum = difference * v;
    double power = 2 * x * v;
    for (int j = 1; j < 100; ++j) {
        power *= v * v;
        const double next = sum + power / (2 * j + 1);
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

// x^a (1 - x)^b / B(a, b) by significance.md (3): no large terms cancel, whatever a and b are.
double beta_front(double a, double b, double x, double complement) {
    const double n = a + b;
    const double exponent = stirling_rest(n) - stirling_rest(a) - stirling_rest(b) -
                            deviance(a, n * x) - deviance(b, n * complement);
    return std::exp(exponent) * std::sqrt(a * b / (2 * kPi * n));
}

// The continued fraction of significance.md (2), by the modified Lentz method. Converges fast for
// x < (a + 1) / (a + b + 2), in some sqrt(max(a, b)) steps.
double beta_fraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300;
    constexpr double kStop = 1e-16;
    const auto away_from_zero = [](double value) {
        return std::abs(value) < kTiny ? kTiny : value;
    };
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int m = 1; m < 1000000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        fraction *= d * c;
        if (std::abs(d * c - 1) <= kStop) break;
    }
    return fraction;
}

void check_degrees(double degrees) {
    if (!(degrees > 0) || std::isinf(degrees)) {
        throw InvalidArgument(
            fmt::format("degrees of freedom are {}, expected a number above 0", degrees));
    }
}

}  // namespace

double incomplete_beta(double a, double b, double x, double complement) {
    if (!(a > 0) || !(b > 0) || !(x >= 0) || !(complement >= 0)) {
        throw InvalidArgument(
            fmt::format("incomplete beta of a {}, b {}, x {}: out of range", a, b, x));
    }
    if (x == 0) return 0;
    if (complement == 0) return 1;
    const double front = beta_front(a, b, x, complement);
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, complement) / b;
}

double student_t_two_sided(double t, double degrees) {
    check_degrees(degrees);
    if (std::isnan(t)) throw InvalidArgument("t is not a number");
    if (std::isinf(t)) return 0;
    // significance.md (1). t * t may overflow; then the tail is 0 in any case that matters.
    const double square = t * t;
    const double x = degrees / (degrees + square);
    const double complement = square / (degrees + square);
    if (std::isinf(square)) return 0;
    return incomplete_beta(degrees / 2, 0.5, x, complement);
}

double student_t_critical(double p, double degrees) {
    check_degrees(degrees);
    if (!(p > 0 && p <= 1)) {
        throw InvalidArgument(fmt::format("probability is {}, expected above 0, at most 1", p));
    }
    double low = 0;
    double high = 1;
    while (student_t_two_sided(high, degrees) > p && high < 1e150) {
        low = high;
        high *= 2;
    }
    // The tail falls steadily: halving ends at neighbouring numbers.
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) return high;
        (student_t_two_sided(middle, degrees) > p ? low : high) = middle;
    }
}

PairedTestResult paired_t_test(std::span<const double> differences) {
    PairedTestResult result;
    result.count = differences.size();
    result.exact = true;
    if (differences.size() < 2) return result;
    const auto count = static_cast<double>(differences.size());
    const double centre = mean(differences);
    const double error = standard_deviation(differences) / std::sqrt(count);
    if (error == 0) {
        if (centre == 0) return result;
        result.statistic = std::copysign(std::numeric_limits<double>::infinity(), centre);
        result.p = 0;
        return result;
    }
    result.statistic = centre / error;
    result.p = student_t_two_sided(result.statistic, count - 1);
    return result;
}

const Registry<PairedTestInfo>& paired_tests() {
    static const Registry<PairedTestInfo> registry(
        "paired test", {{"t", "paired t test",
                         [](std::span<const double> differences, std::uint64_t) {
                             return paired_t_test(differences);
                         }},
                        {"wilcoxon", "Wilcoxon signed rank test",
                         [](std::span<const double> differences, std::uint64_t) {
                             return wilcoxon_test(differences);
                         }},
                        {"randomisation", "Fisher randomisation test",
                         [](std::span<const double> differences, std::uint64_t seed) {
                             return randomisation_test(differences, {.seed = seed});
                         }}});
    return registry;
}

namespace {

constexpr std::size_t kExactRanksUpTo = 25;

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
    result.exact = others.size() <= kExactRanksUpTo;
    if (others.empty()) return result;
    const SignedRanks ranks = rank_sizes(std::move(others));
    result.statistic = static_cast<double>(ranks.doubled_positive) / 2;
    result.p = result.exact ? exact_p(ranks) : approximate_p(ranks);
    return result;
}

namespace {

constexpr std::size_t kExactSignsUpTo = 32;

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
    result.exact = others.size() <= kExactSignsUpTo;
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
