// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "braid/core/base/export.h"
#include "braid/core/base/random.h"
#include "braid/core/base/registry.h"

namespace braid {

/// The regularised incomplete beta function I_x(a, b), docs/algorithms/significance.md (2), for
/// a, b > 0 and x in [0, 1]; `complement` is 1 - x, given apart because the caller often has it
/// without the rounding of a subtraction. Relative error below 1e-12 wherever the result is not
/// denormal.
BRAID_API double incomplete_beta(double a, double b, double x, double complement);

/// The probability that a t variable with `degrees` > 0 degrees of freedom is at least |t| from 0,
/// on either side.
BRAID_API double student_t_two_sided(double t, double degrees);

/// The t for which student_t_two_sided(t, degrees) is `p`, in (0, 1].
BRAID_API double student_t_critical(double p, double degrees);

/// What a two-sided test says of paired differences. Every test takes the differences of two
/// systems' values, one for each query, and gives p 1 where they are all 0 or there are none.
struct PairedTestResult {
    double p = 1;           ///< Of differences at least this far from 0, were there no effect.
    double statistic = 0;   ///< t; the sum of positive ranks; the mean difference.
    std::size_t count = 0;  ///< The differences that took part.
    bool exact = false;     ///< From the whole distribution, not an approximation or a sample.
};

/// Student's t test, significance.md (1). A single difference gives p 1: nothing is known of its
/// spread. Differences that are all the same, but not 0, give p 0.
BRAID_API PairedTestResult paired_t_test(std::span<const double> differences);

/// Wilcoxon's signed rank test, significance.md (5). Zeros are dropped. Up to 25 differences the
/// p value is exact, with ties too; above it is the normal approximation with the corrections for
/// ties and continuity. Sizes within 1e-12 of the largest are ties: they differ by rounding only.
BRAID_API PairedTestResult wilcoxon_test(std::span<const double> differences);

struct RandomisationOptions {
    std::uint64_t seed = kDefaultSeed;
    std::size_t samples = 100000;
};

/// Fisher's randomisation test, significance.md (6): of the signs of the differences. Zeros are
/// dropped. Up to 32 differences every assignment of signs counts, above a seeded sample of them.
BRAID_API PairedTestResult randomisation_test(std::span<const double> differences,
                                              const RandomisationOptions& options = {});

struct PairedTestInfo {
    std::string name;   ///< "t", "wilcoxon", "randomisation"
    std::string title;  ///< As in a sentence: "paired t test"
    std::function<PairedTestResult(std::span<const double>, std::uint64_t seed)> run;
};

/// Every paired test there is.
BRAID_API const Registry<PairedTestInfo>& paired_tests();

}  // namespace braid
