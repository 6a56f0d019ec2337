// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/quasi_newton.h"

#include <cmath>
#include <limits>

#include "braid/core/base/newton.h"
#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

namespace {

using braid::minimise_quasi_newton;
using Values = std::vector<double>;

struct Found {
    Values point;
    double value = 0;
    std::size_t records = 0;
    std::string reason;
};

Found minimise(const braid::SmoothFunction& function, Values start,
               const braid::QuasiNewtonOptions& options) {
    Found found;
    found.reason = minimise_quasi_newton(function, std::move(start), options,
                                         [&](double value, const Values& point) {
                                             CHECK((found.records == 0 || value <= found.value));
                                             found.point = point;
                                             found.value = value;
                                             ++found.records;
                                             return true;
                                         });
    return found;
}

}  // namespace

TEST_CASE("Quasi-Newton: the minimum of a quadratic function") {
    // sum_i (i + 1) (x_i - i)^2 / 2: its curvatures differ by a factor of 30.
    const auto function = [](std::span<const double> x, std::span<double> gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double weight = static_cast<double>(i + 1);
            const double off = x[i] - static_cast<double>(i);
            value += weight * off * off / 2;
            gradient[i] = weight * off;
        }
        return value;
    };
    const Found found = minimise(function, Values(30, -3), {.tolerance = 0});
    for (std::size_t i = 0; i < 30; ++i) {
        CHECK(found.point[i] == Approx(static_cast<double>(i)).margin(1e-6));
    }
    CHECK(found.reason == "converged");
    CHECK(found.records < 100);  // Steepest descent takes several hundred.
}

TEST_CASE("Quasi-Newton: numbers that may not be negative end at 0") {
    // |x - c|^2 + (sum x)^2 / 10 with c of both signs: what is left above 0 solves its own system.
    const Values middle = {3, -2, 1, -0.1, 0.5, -4};
    const auto function = [&](std::span<const double> x, std::span<double> gradient) {
        double sum = 0;
        for (const double each : x) sum += each;
        double value = sum * sum / 10;
        for (std::size_t i = 0; i < x.size(); ++i) {
            value += (x[i] - middle[i]) * (x[i] - middle[i]);
            gradient[i] = 2 * (x[i] - middle[i]) + sum / 5;
        }
        return value;
    };
    for (const Values& start : {Values(6, 1), Values(6, 0), Values{0, 9, 0, 9, 0, 9}}) {
        const Found found = minimise(function, start, {.tolerance = 0, .non_negative = true});
        Values gradient(6);
        function(found.point, gradient);
        for (std::size_t i = 0; i < 6; ++i) {
            CHECK(found.point[i] >= 0);
            if (found.point[i] > 0) {
                CHECK(gradient[i] == Approx(0).margin(1e-5));
            } else {
                CHECK(gradient[i] >= 0);
            }
        }
        CHECK(found.point[1] == 0);
        CHECK(found.point[5] == 0);
        CHECK(found.reason == "converged");
    }
}

TEST_CASE("Quasi-Newton: the bottom of Rosenbrock's valley") {
    const auto function = [](std::span<const double> x, std::span<double> gradient) {
        const double a = 1 - x[0];
        const double b = x[1] - x[0] * x[0];
        gradient[0] = -2 * a - 400 * x[0] * b;
        gradient[1] = 200 * b;
        return a * a + 100 * b * b;
    };
    const Found found = minimise(function, {-1.2, 1}, {.tolerance = 0});
    CHECK(found.point[0] == Approx(1).epsilon(1e-5));
    CHECK(found.point[1] == Approx(1).epsilon(1e-5));
}

TEST_CASE("Quasi-Newton: where a function has no value is not gone to") {
    // -log x + x beyond 0.
    const auto function = [](std::span<const double> x, std::span<double> gradient) {
        gradient[0] = 1 - 1 / x[0];
        return x[0] > 0 ? x[0] - std::log(x[0]) : std::numeric_limits<double>::infinity();
    };
    const Found found = minimise(function, {50}, {.tolerance = 1e-15});
    CHECK(found.point[0] == Approx(1).epsilon(1e-4));
}

TEST_CASE("Quasi-Newton: why it stops") {
    const auto function = [](std::span<const double> x, std::span<double> gradient) {
        gradient[0] = std::pow(x[0], 3);
        return std::pow(x[0], 4) / 4;
    };
    CHECK(minimise(function, {3}, {.iterations = 2, .tolerance = 0}).reason == "iteration limit");
    CHECK(minimise(function, {3}, {.iterations = 2, .tolerance = 0}).records == 3);
    const Found still = minimise(function, {0}, {});
    CHECK(still.reason == "converged");
    CHECK(still.records == 1);
    CHECK(minimise_quasi_newton(function, {3}, {}, [](double, const Values&) { return false; }) ==
          "no better on the validation part");
    // Nothing to move at all.
    CHECK(minimise([](std::span<const double>, std::span<double>) { return 5.0; }, {}, {}).reason ==
          "converged");
}

TEST_CASE("Curvature memory: directions solve what the steps told", "[property]") {
    // With n steps of a quadratic form along conjugate directions it knows the whole of it.
    const Values weights = {1, 4, 9};
    braid::CurvatureMemory memory;
    CHECK(memory.empty());
    CHECK(memory.direction({2, 4, 6}, 0.5) == Values{-1, -2, -3});
    for (std::size_t i = 0; i < 3; ++i) {
        Values step(3, 0);
        step[i] = 0.5;
        Values change(3, 0);
        change[i] = 0.5 * weights[i];
        memory.add(step, change);
    }
    const Values direction = memory.direction({1, 1, 1}, 1);
    for (std::size_t i = 0; i < 3; ++i) CHECK(direction[i] == Approx(-1 / weights[i]));
    // What bends downwards is not taken in.
    memory.clear();
    memory.add({1, 0, 0}, {-1, 0, 0});
    CHECK(memory.empty());
}
