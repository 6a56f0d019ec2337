// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/summary.h"

#include <cmath>

#include "braid/core/base/error.h"

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

}  // namespace braid
