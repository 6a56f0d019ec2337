// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "braid/core/base/registry.h"
#include "braid/evaluate.h"

namespace braid {

/// The regularised incomplete beta function I_x(a, b), docs/algorithms/significance.md (2), for a,
/// b > 0 and x in [0, 1]; `complement` is 1 - x, a separate argument because the caller often has
/// it without the rounding of a subtraction. Relative error below 1e-12 unless the result is
/// denormal.
double incomplete_beta(double a, double b, double x, double complement);

/// The probability that a t variable with `degrees` > 0 degrees of freedom is at least |t| from 0,
/// on either side.
double student_t_two_sided(double t, double degrees);

/// The t for which student_t_two_sided(t, degrees) is `p`, in (0, 1].
double student_t_critical(double p, double degrees);

/// The result of a two-sided test of paired differences. Every test takes the differences of two
/// systems' values, one for each query, and gives p 1 if they are all 0 or there are none.
/// Student's t test, significance.md (1). A single difference gives p 1, since its spread is
/// unknown. Differences that are all equal but not 0 give p 0.
PairedTestResult paired_t_test(std::span<const double> differences);

/// Wilcoxon's signed rank test, significance.md (5). Drops zeros. The p value is exact for up to 25
/// differences, even with ties; above, it is the normal approximation with corrections for ties and
/// continuity. Magnitudes within 1e-12 of the largest are ties: they differ only by rounding.
PairedTestResult wilcoxon_test(std::span<const double> differences);

struct RandomisationOptions {
    std::uint64_t seed = kDefaultSeed;
    std::size_t samples = 100000;
};

/// Fisher's randomisation test of the signs of the differences, significance.md (6). Drops zeros.
/// Uses every assignment of signs for up to 32 differences, above that a seeded sample.
PairedTestResult randomisation_test(std::span<const double> differences,
                                    const RandomisationOptions& options = {});

struct PairedTestInfo {
    std::string name;   ///< "t", "wilcoxon", "randomisation"
    std::string title;  ///< For use in a sentence: "paired t test"
    std::function<PairedTestResult(std::span<const double>, std::uint64_t seed)> run;
};

/// All paired tests.
const Registry<PairedTestInfo>& paired_tests();

}  // namespace braid
