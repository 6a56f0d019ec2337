// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/model.h"
#include "braid/training_set.h"

namespace braid {

// docs/algorithms/calibration.md has the equations.

/// Scores, ready to be calibrated, of the ten best documents of each judged query.
struct HeldOutScores {
    std::vector<double> scores = {};
    std::vector<Grade> grades = {};              ///< One a score.
    std::vector<std::size_t> query_begin = {0};  ///< As in a TrainingSet.
    std::vector<std::size_t> parts = {};  ///< One a query: those of a part are left out together.
    Grade relevant_from = 1;

    bool is_relevant(std::size_t i) const { return grades[i] >= relevant_from; }
};

/// Queries of `folds.folds` with the first seed, each scored by the fold that was not learned from
/// it, (2) and (3). `set` is the raw set of both. Empty if scores of the model can't be calibrated,
/// or need bounds that the set lacks.
HeldOutScores fold_scores(const TrainedModel& trained, const CrossValidation& folds,
                          const TrainingSet& set, Grade relevant_from);

/// The model's own scores for the raw set, its queries dealt into at most five parts. Empty as
/// above.
HeldOutScores own_scores(const TrainedModel& trained, const TrainingSet& set, Grade relevant_from);

/// How probabilities compare with judgements.
struct Reliability {
    struct Bin {
        std::size_t documents = 0;
        double probability = 0;  ///< Mean.
        double relevant = 0;     ///< Share of relevant documents.
    };
    std::vector<Bin> bins = {};  ///< Ascending by probability, without empty ones.
    std::size_t documents = 0;
    std::size_t judged = 0;
    std::size_t relevant = 0;
    double brier = 0;
    double constant_brier = 0;  ///< If every probability were the share of relevant documents.
    double log_loss = 0;
    double error = 0;  ///< The expected calibration error.
};

struct CalibrationFindings {
    Calibration calibration = {};
    std::string method = {};  ///< "isotonic" or "logistic".
    std::size_t queries = 0;  ///< That it was fitted to.
    Reliability reliability = {};
    bool is_of_test = false;      ///< Measured on test queries; else on parts left out.
    std::size_t measured_on = 0;  ///< Queries.
};

/// Fitted to those rows, which must not be empty: (4), and the logistic function.
Calibration fit_isotonic(const HeldOutScores& held_out, const std::vector<std::size_t>& rows);
Calibration fit_logistic(const HeldOutScores& held_out, const std::vector<std::size_t>& rows);

/// Fits to all, and measures by parts. The calibration is empty if without some part the others
/// have no relevant document, or no irrelevant one.
CalibrationFindings calibrate(const HeldOutScores& held_out);

/// Measures the calibration on test scores instead.
void measure_on_test(CalibrationFindings& findings, const HeldOutScores& test);

}  // namespace braid
