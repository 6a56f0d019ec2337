// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "braid/bench/learner_quality/text_trials.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/ranking_function.h"
#include "braid/progress.h"

namespace braid::bench {

/// The measures of the tables, MAP first.
const std::vector<std::string>& table_measures();

/// What one learner did in one fold of one seed.
struct Cell {
    double seconds = 0;                       ///< Of the processor, tuning and testing among them.
    std::vector<double> weights = {};         ///< Of linear functions.
    std::vector<std::vector<double>> values;  ///< A measure, then a test query of the fold.
    std::vector<double> recall = {};          ///< Sums of interpolated precision at 11 points.
    std::vector<double> curve = {};           ///< MAP on the test fold after each step, if asked.
};

/// Cells by a key that says all of how they came about, kept in a file as they are made, so that a
/// run that was stopped goes on where it was and rows are added to a table without the others.
/// They know nothing of changes of the code: remove the file then.
class TextCells {
  public:
    /// "": nothing is kept. Throws Error where the file is not of this kind.
    explicit TextCells(const std::string& file);

    const Cell* find(const std::string& key) const;
    const Cell& add(const std::string& key, Cell cell);

  private:
    std::map<std::string, Cell> cells_;
    std::ofstream out_;
};

/// Measures functions on one set of test queries, each query's scores computed once.
class CellMeasures {
  public:
    /// Borrows the set.
    explicit CellMeasures(const TrainingSet& testing);

    /// Fills in values and recall. Every query of the set must have a relevant document.
    void measure(const RankingFunction& function, Executor& executor, Cell& cell) const;

  private:
    const TrainingSet& testing_;
    std::vector<TrainingMeasure> measures_;
};

}  // namespace braid::bench
