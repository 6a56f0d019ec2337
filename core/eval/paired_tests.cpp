// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/paired_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "braid/core/eval/student_t.h"
#include "braid/core/eval/summary.h"

namespace braid {

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

}  // namespace braid
