// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "braid/cli/options/train_setup.h"
#include "braid/cli/report/html.h"

namespace braid::cli {

/// What a report says of the run itself.
struct ReportFacts {
    std::vector<std::string> arguments;  ///< The command, a word each.
    std::vector<std::string> warnings;   ///< All that were given, shown or not.
    double seconds = 0;                  ///< Since the command began.
    double processor_seconds = 0;        ///< Of all threads.
    std::string finished;                ///< "2024-05-01 12:00 UTC"
    std::string version;
};

/// A ranker's weights in the learner's terms: of scores that were normalised and scaled.
struct RankerWeights {
    std::string name;
    double served = 0;  ///< As the model has it, for raw scores.
    double learned = 0;
    double share = 0;
    /// Over the folds; none without folds.
    struct Spread {
        double mean = 0, deviation = 0, least = 0, most = 0;
    };
    std::optional<Spread> folds = {};
};

/// Throws CLI::ValidationError where a file's name doesn't say what to write.
void check_report_options(const TrainCommand& command);

/// Fails before the work where a report can't be written.
void check_reports_writable(const TrainCommand& command);

/// Writes what --report and --figures ask for. `report.findings` are filled in.
void write_reports(const TrainReport& report, const Session& session);

std::string train_page(const TrainReport& report, const ReportFacts& facts);
std::string train_report_json(const TrainReport& report, const ReportFacts& facts);
std::string train_report_text(const TrainReport& report, const ReportFacts& facts);

/// The pictures, as elements of a page. "" where there is nothing to draw.
std::string precision_chart(const TrainReport& report);
std::string learning_chart(const TrainReport& report);   ///< The measure, by round.
std::string objective_chart(const TrainReport& report);  ///< What was optimised, by round.
std::string ranker_chart(const TrainReport& report);     ///< The map.

/// Empty where the function has no weights of its own for all queries.
std::vector<RankerWeights> ranker_weights(const TrainReport& report);

/// "held-out folds", "the test file", "the queries learned from".
std::string measured_part(const TrainingFindings& findings);

/// What a ranker is called in sentences: a feature that has only a number is "feature 7".
std::string ranker_title(const std::string& name);

/// What a system is called: "bm25 (best single ranker)", "best weights of each query".
std::string system_title(const TrainingFindings& findings, std::size_t system);

/// Whether weights by query are worth it, in one or two sentences.
std::string adaptive_verdict(const TrainingFindings& findings);

/// How the learned function does beside the best single ranker, uniform weights and the ceiling.
std::vector<std::string> verdicts(const TrainingFindings& findings);

/// The comparison of the learned function with a system; nullptr where there is none.
const BaselineComparison* comparison_with(const TrainingFindings& findings, std::size_t system);

/// The measured queries from where the learned function loses most against the best single ranker
/// to where it gains most.
std::vector<std::size_t> queries_by_gain(const TrainingFindings& findings);

/// The command as one would type it.
std::string shell_line(const std::vector<std::string>& arguments);

/// Names and values: what the learner, its options, the files and the rankers were.
std::vector<std::pair<std::string, std::string>> settings_of_report(const TrainReport& report);

/// The parts of the page on training, each with its heading; nothing where there is nothing to say.
void add_systems(Html& html, const TrainReport& report);   ///< Measures, and precision by recall.
void add_weights(Html& html, const TrainReport& report);   ///< Weights, folds, learning curves.
void add_rankers(Html& html, const TrainReport& report);   ///< Distances and the map.
void add_loss(Html& html, const TrainReport& report);      ///< The loss, taken apart.
void add_adaptive(Html& html, const TrainReport& report);  ///< Weights by query.
void add_queries(Html& html, const TrainReport& report);   ///< The most changed, and all.

/// A scrolling box, for what may be wider than a screen; `label` names it to those who move
/// through the page by keys.
void begin_scroll(Html& html, const std::string& label);
void end_scroll(Html& html);

/// A chart with a caption, if there is one.
void add_chart(Html& html, const std::string& chart, const std::string& label);

}  // namespace braid::cli
