// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/training_set.h"

namespace braid::test {

/// Feature "kind" says which of the two good rankers knows the query's grades; "noise" says
/// nothing. With `planted` false both know always.
inline TrainingSet planted_set(std::uint64_t seed, bool planted, std::size_t queries = 80) {
    Random random(seed);
    TrainingSet set;
    set.rankers = {"a", "b", "c"};
    set.query_feature_names = {"kind", "noise"};
    for (std::size_t q = 0; q < queries; ++q) {
        set.queries.push_back("q" + std::to_string(q));
        const double kind = random.uniform() < 0.5 ? -1 : 1;
        set.query_features.insert(set.query_features.end(), {kind, random.normal()});
        for (std::size_t d = 0; d < 20; ++d) {
            const std::vector<double> noise = {random.normal(), random.normal(), random.normal()};
            const Grade grade = d < 4 ? 1 + static_cast<Grade>(d % 2) : 0;
            set.grades.push_back(grade);
            const bool knows_a = !planted || kind > 0;
            const bool knows_b = !planted || kind < 0;
            set.scores.push_back(noise[0] + (knows_a ? 1.5 * grade : 0));
            set.scores.push_back(noise[1] + (knows_b ? 1.5 * grade : 0));
            set.scores.push_back(noise[2]);
        }
        set.query_begin.push_back(set.grades.size());
    }
    return set;
}

}  // namespace braid::test
