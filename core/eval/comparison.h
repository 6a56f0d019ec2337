// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/random.h"
#include "braid/core/eval/effect.h"
#include "braid/core/eval/evaluation.h"
#include "braid/core/eval/paired_tests.h"

namespace braid {

/// How one run differs from a baseline on one measure, over the queries evaluated in both.
struct Comparison {
    std::vector<std::size_t> queries;  ///< Places in the pools, ascending.
    std::vector<double> differences;   ///< Run minus baseline, for each of `queries`.
    double mean_difference = 0;
    ConfidenceInterval interval;  ///< 95 % of the mean difference.
    double effect = 0;            ///< Cohen's d of the differences.
    std::size_t better = 0;       ///< Queries where the run is above the baseline.
    std::size_t worse = 0;
    PairedTestResult test;
    double p_adjusted = 1;  ///< Holm-corrected over all runs compared on this measure.
};

struct ComparisonOptions {
    std::string test = "t";  ///< A name from paired_tests().
    std::uint64_t seed = kDefaultSeed;
};

/// Compares each of `runs` with `baseline` on its measure number `measure`, which all must have
/// under that number. Differences below 1e-12, which only rounding makes, are 0. The family of
/// the correction is all runs on this one measure. Throws UnknownComponent for the test.
BRAID_API std::vector<Comparison> compare_runs(const Evaluation& baseline,
                                               std::span<const Evaluation> runs,
                                               std::size_t measure,
                                               const ComparisonOptions& options = {});

}  // namespace braid
