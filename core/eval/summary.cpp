// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/eval/paired_tests.h"
#include "braid/error.h"

namespace braid {
namespace {

// Neumaier's form of Kahan's sum, which also holds where a term is larger than the sum so far.
class CompensatedSum {
  public:
    void add(double value) {
        const double next = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
        sum_ = next;
    }
    double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0;
    double lost_ = 0;
};

}  // namespace

double mean(std::span<const double> values) {
    if (values.empty()) throw InvalidArgument("the mean of no values");
    CompensatedSum sum;
    for (const double value : values) sum.add(value);
    return sum.value() / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
    const double centre = mean(values);
    if (values.size() == 1) return 0;
    CompensatedSum squares;
    CompensatedSum rest;  // Of the rounding of `centre`.
    for (const double value : values) {
        const double distance = value - centre;
        squares.add(distance * distance);
        rest.add(distance);
    }
    const auto count = static_cast<double>(values.size());
    const double variance = (squares.value() - rest.value() * rest.value() / count) / (count - 1);
    return std::sqrt(std::max(variance, 0.0));
}

ConfidenceInterval mean_interval(std::span<const double> values, double confidence) {
    if (!(confidence > 0 && confidence < 1)) {
        throw InvalidArgument(
            fmt::format("confidence is {}, expected a number between 0 and 1", confidence));
    }
    const double centre = mean(values);
    if (values.size() == 1) {
        const double infinity = std::numeric_limits<double>::infinity();
        return {-infinity, infinity};
    }
    const auto count = static_cast<double>(values.size());
    const double half = student_t_critical(1 - confidence, count - 1) * standard_deviation(values) /
                        std::sqrt(count);
    return {centre - half, centre + half};
}

double effect_size(std::span<const double> differences) {
    const double centre = mean(differences);
    if (centre == 0) return 0;
    const double spread = standard_deviation(differences);
    if (spread == 0) return std::copysign(std::numeric_limits<double>::infinity(), centre);
    return centre / spread;
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (const double p : p_values) {
        if (!(p >= 0 && p <= 1)) {
            throw InvalidArgument(fmt::format("a p value is {}, expected 0 to 1", p));
        }
    }
    std::stable_sort(order.begin(), order.end(), [p_values](std::size_t a, std::size_t b) {
        return p_values[a] < p_values[b];
    });
    std::vector<double> adjusted(p_values.size());
    double highest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto left = static_cast<double>(order.size() - i);
        highest = std::max(highest, std::min(1.0, left * p_values[order[i]]));
        adjusted[order[i]] = highest;
    }
    return adjusted;
}

KnownItemFinding compare_known_items(std::span<const double> ranks,
                                     std::span<const double> before) {
    if (ranks.empty() || ranks.size() != before.size()) {
        throw InvalidArgument(
            fmt::format("known items: found {} and {} ranks, expected as many, "
                        "and any",
                        ranks.size(), before.size()));
    }
    std::vector<double> differences;
    KnownItemFinding found;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        differences.push_back(ranks[i] - before[i]);
        found.mean += ranks[i] / static_cast<double>(ranks.size());
        found.before += before[i] / static_cast<double>(ranks.size());
    }
    found.difference = found.mean - found.before;
    found.interval = mean_interval(differences);
    found.p = paired_t_test(differences).p;
    found.is_safe = found.interval.low >= -kMostKnownItemLoss;
    return found;
}

}  // namespace braid
