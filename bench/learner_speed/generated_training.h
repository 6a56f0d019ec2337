// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/training_set.h"

namespace braid::bench {

struct Shape {
    std::size_t queries;
    std::size_t documents;
    std::size_t rankers;
    std::size_t relevant;
};

/// Scores are uniform noise; relevant documents have more from every second ranker.
inline TrainingSet generate(const Shape& shape) {
    Random random;
    TrainingSet set;
    for (std::size_t k = 0; k < shape.rankers; ++k) set.rankers.push_back(fmt::format("r{}", k));
    for (std::size_t q = 0; q < shape.queries; ++q) {
        set.queries.push_back(fmt::format("q{}", q));
        for (std::size_t d = 0; d < shape.documents; ++d) {
            const int grade = d < shape.relevant ? 1 : 0;
            set.grades.push_back(grade);
            for (std::size_t k = 0; k < shape.rankers; ++k) {
                set.scores.push_back(random.uniform() + (k % 2 == 0 ? 0.3 * grade : 0));
            }
        }
        set.query_begin.push_back(set.grades.size());
    }
    return set;
}

}  // namespace braid::bench
