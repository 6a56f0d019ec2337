// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "braid/cli/options/train_setup.h"
#include "braid/cli/report/html.h"
#include "braid/core/learn/job/calibration.h"

namespace braid::cli {

/// Facts about the run itself.
struct ReportFacts {
    std::vector<std::string> arguments;  ///< Words of the command line.
    std::vector<std::string> warnings;   ///< All warnings, shown or not.
    double seconds = 0;                  ///< Since the command began.
    double processor_seconds = 0;        ///< Sum over all threads.
    std::string finished;                ///< "2024-05-01 12:00 UTC"
    std::string version;
};

/// A ranker's weights for normalised and scaled scores, as the learner sees them.
struct RankerWeights {
    std::string name;
    double served = 0;  ///< The model's weight, for raw scores.
    double learned = 0;
    double share = 0;
    /// Over the folds; empty without folds.
    struct Spread {
        double mean = 0, deviation = 0, least = 0, most = 0;
    };
    std::optional<Spread> folds = {};
};

/// Throws CLI::ValidationError for a file name without a known extension.
void check_report_options(const TrainCommand& command);

/// Throws before the work if a report can't be written.
void check_reports_writable(const TrainCommand& command);

/// Writes the files of --report and --figures. Needs `report.findings`.
void write_reports(const TrainReport& report, const Session& session);

std::string train_page(const TrainReport& report, const ReportFacts& facts);
std::string train_report_json(const TrainReport& report, const ReportFacts& facts);
std::string train_report_text(const TrainReport& report, const ReportFacts& facts);

/// Figures as page elements. "" if there is nothing to draw.
std::string precision_chart(const TrainReport& report);
std::string learning_chart(const TrainReport& report);   ///< The measure, by round.
std::string objective_chart(const TrainReport& report);  ///< The objective, by round.
std::string ranker_chart(const TrainReport& report);     ///< The map.

/// Empty if the function has no weights common to all queries.
std::vector<RankerWeights> ranker_weights(const TrainReport& report);

/// "held-out folds", "the test file", "the queries learned from".
std::string measured_part(const TrainingFindings& findings);

/// A ranker's name in sentences: a numbered feature is "feature 7".
std::string ranker_title(const std::string& name);

/// A system's name: "bm25 (best single ranker)", "best weights of each query".
std::string system_title(const TrainingFindings& findings, std::size_t system);

/// Verdict on query-dependent weights, in one or two sentences.
std::string adaptive_verdict(const TrainingFindings& findings);

/// Compares the learned function with the best single ranker, uniform weights and the ceiling.
std::vector<std::string> verdicts(const TrainingFindings& findings);

/// The comparison of the learned function with a system, or nullptr.
const BaselineComparison* comparison_with(const TrainingFindings& findings, std::size_t system);

/// The measured queries in ascending order of the learned function's gain over the best single
/// ranker.
std::vector<std::size_t> queries_by_gain(const TrainingFindings& findings);

/// Queries by the number of their pairs of unequal grades, and what each system reaches on them.
struct QueryGroup {
    double from = 0;  ///< Pairs, up to below `to`.
    double to = 0;
    std::size_t queries = 0;
    std::vector<double> means = {};  ///< By TrainingFindings::systems; empty group: 0.
};
std::vector<QueryGroup> query_groups(const TrainingFindings& findings);

/// The measure by iteration from each start; "" if there was one.
std::string start_chart(const TrainReport& report);

/// The command line, quoted for a shell.
std::string shell_line(const std::vector<std::string>& arguments);

/// Names and values of the learner, its options, the files and the rankers.
std::vector<std::pair<std::string, std::string>> settings_of_report(const TrainReport& report);

/// Sections of the training page, each with its heading; add nothing if they would be empty.
void add_systems(Html& html, const TrainReport& report);   ///< Measures, and precision by recall.
void add_weights(Html& html, const TrainReport& report);   ///< Weights, folds, learning curves.
void add_rankers(Html& html, const TrainReport& report);   ///< Distances and the map.
void add_loss(Html& html, const TrainReport& report);      ///< Decomposition of the loss.
void add_pairs(Html& html, const TrainReport& report);     ///< Errors by pair of grades, groups.
void add_bounds(Html& html, const TrainReport& report);    ///< Bounds of the measure's loss.
void add_adaptive(Html& html, const TrainReport& report);  ///< Weights by query.
void add_queries(Html& html, const TrainReport& report);   ///< The most changed, and all.

/// A scrolling box for content wider than the screen; `label` names it for keyboard users.
void begin_scroll(Html& html, const std::string& label);
void end_scroll(Html& html);

/// A chart with a caption; nothing if the chart is "".
void add_chart(Html& html, const std::string& chart, const std::string& label);

// What `braid train` shows of a calibration (docs/algorithms/calibration.md).

nlohmann::ordered_json calibration_json(const CalibrationFindings& findings);

/// A few lines, with their figures.
std::string calibration_text(const CalibrationFindings& findings);

/// The reliability picture: the share of relevant documents over the probability.
std::string reliability_chart(const CalibrationFindings& findings);

/// The section of the training page.
void add_calibration(Html& html, const CalibrationFindings& findings);

}  // namespace braid::cli
