// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/student_t.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "braid/core/base/error.h"

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

}  // namespace braid
