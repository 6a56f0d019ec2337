// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/training_set.h"

namespace braid::test {

struct RandomTrainingOptions {
    std::size_t queries = 12;
    std::size_t documents = 40;
    std::size_t rankers = 4;
    std::size_t relevant = 5;
    int highest_grade = 1;
    bool with_ties = false;  ///< Scores are multiples of 1/4.
    /// How much a ranker knows: its score is noise plus this times the grade, for even rankers.
    double signal = 0.3;
};

/// Scores in about [0, 1.5]; two features a query, which mean nothing.
inline TrainingSet random_training(std::uint64_t seed, const RandomTrainingOptions& options = {}) {
    Random random(seed);
    TrainingSet set;
    for (std::size_t k = 0; k < options.rankers; ++k)
        set.rankers.push_back("r" + std::to_string(k));
    for (std::size_t q = 0; q < options.queries; ++q) {
        set.queries.push_back("q" + std::to_string(q));
        for (std::size_t d = 0; d < options.documents; ++d) {
            Grade grade = 0;
            if (d < options.relevant) {
                grade = 1 + static_cast<Grade>(
                                random.below(static_cast<std::uint64_t>(options.highest_grade)));
            }
            set.grades.push_back(grade);
            for (std::size_t k = 0; k < options.rankers; ++k) {
                double score = random.uniform();
                if (k % 2 == 0) score += options.signal * grade;
                if (options.with_ties) score = std::floor(score * 4) / 4;
                set.scores.push_back(score);
            }
        }
        set.query_begin.push_back(set.grades.size());
    }
    Random features(seed, 1);
    set.query_feature_names = {"first", "second"};
    for (std::size_t q = 0; q < 2 * options.queries; ++q) {
        set.query_features.push_back(features.normal());
    }
    return set;
}

}  // namespace braid::test
