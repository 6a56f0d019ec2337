// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <limits>

#include "braid/core/base/random.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::incomplete_beta;
using braid::student_t_critical;
using braid::student_t_two_sided;
using namespace braid::test;

// Reference values: mpmath 1.2.1 with 50 digits, betainc(df/2, 1/2, 0, df/(df+t*t),
// regularized=True), printed with 20.
TEST_CASE("Student's t: two-sided probabilities equal 50-digit references") {
    struct Row {
        double t, degrees, p;
    };
    const std::vector<Row> rows = {
        {0.5, 1, 0.70483276469913345165},        {12.706, 1, 0.050000802358133186011},
        {1e8, 1, 6.3661977236758132185e-9},      {2, 2, 0.18350341907227396727},
        {0.001, 3, 0.99926489496946093801},      {2.5, 4, 0.066766544811988145039},
        {1.96, 29, 0.059667795519591318995},     {0.3, 29, 0.76631709332896774561},
        {10, 29, 6.599862576433512408e-11},      {40, 29, 6.3468773297293479876e-27},
        {1.5, 224, 0.13502251711298614546},      {6, 224, 7.8558927451576348161e-9},
        {35, 224, 8.9241259522961791408e-93},    {2, 1000, 0.045770346493251640049},
        {2, 99999, 0.04550296348450247291},      {8, 99999, 1.2573921202672645716e-15},
        {0.01, 1000000, 0.99202128936554767333}, {3, 0.5, 0.3673081559859434482},
        {2, 7.5, 0.08289699529816631269},
    };
    for (const Row& row : rows) {
        INFO("t " << row.t << ", degrees " << row.degrees);
        CHECK_THAT(student_t_two_sided(row.t, row.degrees), WithinRel(row.p, 1e-12));
        CHECK(student_t_two_sided(-row.t, row.degrees) == student_t_two_sided(row.t, row.degrees));
    }
}

// Reference values as above.
TEST_CASE("Incomplete beta: equals 50-digit references") {
    struct Row {
        double a, b, x, value;
    };
    const std::vector<Row> rows = {
        {0.5, 0.5, 0.3, 0.36901011956554538276}, {2, 3, 0.4, 0.5248},
        {10, 0.1, 0.9, 0.023856050744374104631}, {100, 200, 0.25, 0.0006588924984657823371},
        {1e-3, 5, 1e-4, 0.99289722675491868193}, {3, 7, 0.999, 0.99999999999999999996},
    };
    for (const Row& row : rows) {
        INFO(row.a << " " << row.b << " " << row.x);
        CHECK_THAT(incomplete_beta(row.a, row.b, row.x, 1 - row.x), WithinRel(row.value, 1e-12));
    }
}

TEST_CASE("Incomplete beta: closed forms, symmetry and steps in the parameters", "[property]") {
    braid::Random random(braid::test::seed());
    for (int i = 0; i < 2000; ++i) {
        const double x = random.uniform();
        const double y = 1 - x;
        if (x == 0 || y == 0) continue;
        const double a = std::exp(8 * random.uniform() - 2);
        const double b = std::exp(8 * random.uniform() - 2);
        INFO("a " << a << " b " << b << " x " << x);
        REQUIRE_THAT(incomplete_beta(a, 1, x, y), WithinRel(std::pow(x, a), 1e-11));
        const double value = incomplete_beta(a, b, x, y);
        REQUIRE_THAT(value + incomplete_beta(b, a, y, x), WithinRel(1.0, 1e-12));
        // I_x(a, b) = x I_x(a - 1, b) + (1 - x) I_x(a, b - 1).
        if (a > 1.1 && b > 1.1 && value > 1e-280) {
            REQUIRE_THAT(x * incomplete_beta(a - 1, b, x, y) + y * incomplete_beta(a, b - 1, x, y),
                         WithinRel(value, 1e-11));
        }
    }
}

TEST_CASE("Student's t: closed forms for one and two degrees of freedom", "[property]") {
    braid::Random random(braid::test::seed());
    for (int i = 0; i < 1000; ++i) {
        const double t = std::exp(30 * random.uniform() - 15);
        INFO("t " << t);
        // The tail of 1: 2 atan(1 / t) / pi. Of 2: 1 - t / sqrt(2 + t^2), written without the
        // cancellation.
        REQUIRE_THAT(student_t_two_sided(t, 1),
                     WithinRel(2 * std::atan(1 / t) / 3.14159265358979323846, 1e-12));
        const double root = std::sqrt(2 + t * t);
        REQUIRE_THAT(student_t_two_sided(t, 2), WithinRel(2 / (root * (root + t)), 1e-12));
    }
}

// scipy 1.10.1: stats.t.isf(p / 2, df).
TEST_CASE("Student's t: critical values equal scipy's and invert the tail") {
    struct Row {
        double p, degrees, t;
    };
    const std::vector<Row> rows = {
        {0.05, 1, 12.706204736432102},  {0.05, 2, 4.3026527299112765},
        {0.05, 14, 2.1447866879169277}, {0.05, 29, 2.0452296421327034},
        {0.01, 224, 2.597955337509755}, {0.05, 100000, 1.9599877075346097},
        {1e-10, 5, 180.1491008422074},  {0.999, 7, 0.0012987305550742297},
    };
    for (const Row& row : rows) {
        INFO("p " << row.p << ", degrees " << row.degrees);
        const double t = student_t_critical(row.p, row.degrees);
        CHECK_THAT(t, WithinRel(row.t, 1e-10));
        CHECK_THAT(student_t_two_sided(t, row.degrees), WithinRel(row.p, 1e-12));
    }
}

TEST_CASE("Student's t: ends of the range") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(student_t_two_sided(0, 5) == 1);
    CHECK(student_t_two_sided(infinity, 5) == 0);
    CHECK(student_t_two_sided(1e200, 5) == 0);
    CHECK(student_t_critical(1, 5) == Approx(0).margin(1e-15));
    CHECK_THROWS_AS(student_t_two_sided(1, 0), braid::InvalidArgument);
    CHECK_THROWS_AS(student_t_two_sided(std::nan(""), 3), braid::InvalidArgument);
    CHECK_THROWS_AS(student_t_critical(0, 3), braid::InvalidArgument);
    CHECK_THROWS_AS(incomplete_beta(0, 1, 0.5, 0.5), braid::InvalidArgument);
    CHECK(incomplete_beta(2, 3, 0, 1) == 0);
    CHECK(incomplete_beta(2, 3, 1, 0) == 1);
}
