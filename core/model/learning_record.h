// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace braid {

/// One step of a learning curve.
struct CurvePoint {
    std::size_t iteration = 0;
    double objective = 0;  ///< What the learner optimises.
    std::optional<double> validation = {};
    /// The measure on each of LearnerOptions::watched; a model file has none.
    std::vector<double> watched = {};

    bool operator==(const CurvePoint&) const = default;
};

/// How the learning went that a model comes from.
struct LearningRecord {
    std::string measure = {};  ///< What was to be good: "map".
    int relevant_from = 1;     ///< The least grade that counted as relevant.
    std::size_t queries = 0;
    std::size_t documents = 0;   ///< In all queries' pools together.
    std::size_t judgements = 0;  ///< Those of them that have a grade.
    /// Means over the queries learned from, and over those that chose among the learner's steps.
    std::map<std::string, double> measures = {};
    std::map<std::string, double> validation = {};
    std::string objective_name = {};  ///< "smooth map"
    double objective = 0;
    std::size_t iterations = 0;
    std::string stop_reason = {};  ///< "converged"
    /// One number a ranker that its scores were divided by while learning; the model's weights
    /// have that taken in already, the state has not. Empty: none were.
    std::vector<double> scales = {};
    std::vector<CurvePoint> curve = {};
    /// What the learner goes on from; empty where it can't.
    std::map<std::string, std::vector<double>> state = {};

    bool operator==(const LearningRecord&) const = default;
};

}  // namespace braid
