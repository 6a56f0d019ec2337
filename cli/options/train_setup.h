// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/cli/options/command.h"
#include "braid/cli/options/pool_input.h"
#include "braid/cli/options/search_setup.h"
#include "braid/core/learn/job/calibration.h"
#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/training_findings.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/indexer/formats/click_reader.h"
#include "braid/model.h"

namespace braid::cli {

/// Held-out queries of a database; "": none.
struct HeldOut {
    std::string queries;
    std::string judgements;
};

/// Options of `braid train`.
struct TrainCommand {
    std::string letor;
    std::string validation;
    std::string test;
    SearchSetup setup;  ///< For --db; `model` is --model-rankers.
    QueryInput queries;
    QueryExtras extras;
    JudgementInput judgements;
    PoolInput pool;
    QueryFeatureInput query_features;
    HeldOut validation_set;
    HeldOut test_set;
    std::string clicks;
    ClickOptions click_reading;
    bool follow = false;  ///< Learn from the clicks as they come, until interrupted.
    /// What the clicks say of the queries of one batch, while following; else null.
    const Judgements* batch = nullptr;
    std::string continued;   ///< The model to continue.
    std::string model;       ///< Output file; "": none.
    bool tune_bm25 = false;  ///< Let training queries choose k1 and b.
    bool install = false;    ///< Install in the training databases.
    bool force = false;      ///< Install whatever was measured.
    std::string normaliser;  ///< "": the learner's default.
    std::string columns;     ///< "positions", "scores" or "" (guessed).
    std::string missing = "refuse";
    std::vector<std::string> parameters;  ///< "name=value"
    std::vector<std::string> tuned;       ///< "name=value,value", or "": the learner's own grid.
    TrainingJob job;
    CrossValidationOptions folding = {.folds = 0};  ///< folds 0: none.
    std::size_t threads = 0;
    bool no_oracle = false;
    bool json = false;
    std::vector<std::string> reports;  ///< Files of --report; "-" is standard output.
    std::string figures;               ///< Folder for the report's figures; "": none.
    std::string runs;                  ///< Folder for the runs of held-out queries; "": none.

    bool has_report() const { return !reports.empty() || !figures.empty(); }
    bool from_database() const { return !setup.databases.empty(); }
    /// Whether the training queries have judgements or clicks.
    bool is_judged() const {
        return !from_database() || !judgements.paths.empty() || !clicks.empty();
    }
    bool has_validation() const { return !validation.empty() || !validation_set.queries.empty(); }
    bool has_test() const { return !test.empty() || !test_set.queries.empty(); }
    /// Whether the result is measured on queries that it wasn't learned from.
    bool measures_held_out() const { return folding.folds > 0 || has_test(); }

    // Options that were given and so don't come from a continued model.
    bool gave_learner = false;
    bool gave_normaliser = false;
    bool may_guess_columns = false;  ///< No option declares them scores.
    bool gave_query_features = false;
    bool gave_seed = false;
    bool gave_measure = false;
    bool gave_hold_back = false;
    bool gave_relevance = false;
};

/// Training input.
struct TrainInput {
    std::optional<RankerVariants> variants = {};  ///< TrainingJob::variants.
    TrainingSet train;
    std::optional<TrainingSet> validation = {};
    std::optional<TrainingSet> test = {};
    std::vector<RankerSpec> rankers = {};               ///< The rankers of the training sets.
    std::vector<double> anchor = {};                    ///< TrainingJob::anchor.
    Candidates candidates = Candidates::kWords;         ///< Candidates of the training pools.
    std::vector<TopicModelIdentity> topic_models = {};  ///< Topic models of the rankers.
    double now = 0;  ///< Time from which ages count, if a ranker uses ages.
    /// What a learned ranking has to beat, measured on the training and test queries.
    std::optional<References> references = {};
    std::optional<References> test_references = {};
    std::string unmeasured = {};  ///< Why the database's own ranking is not among them; "": it is.
};

/// The results that `braid train` reports.
struct TrainReport {
    const TrainCommand& command;
    TrainedModel trained = {};
    TrainingCounts counts = {};
    std::vector<std::string> measures = {};  ///< Full names; the first is the target measure.
    std::vector<double> shares = {};  ///< One per ranker; empty if the function is not a sum.
    std::optional<CrossValidation> folds = {};
    std::vector<BaselineComparison> baselines = {};  ///< On the test set or the folds.
    std::optional<ReferenceComparison> references = {};
    /// The second pass beside the first alone, on the test set or the folds, for a model of two.
    std::optional<BaselineComparison> one_pass = {};
    std::optional<QueryOracle> oracle = {};         ///< On the test set, else the training set.
    double oracle_mean = 0;                         ///< Mean over the measured queries.
    double now = 0;                                 ///< TrainInput::now.
    std::string unmeasured = {};                    ///< TrainInput::unmeasured.
    std::optional<TrainingFindings> findings = {};  ///< Only if a report was requested.
    /// Where queries were held out and judged.
    std::optional<CalibrationFindings> calibration = {};
    std::map<std::string, std::string> runs = {};  ///< Texts of --runs, by the name of their file.
};

/// Checks the options before any input is read, and fills in dependent defaults. Throws
/// CLI::ValidationError.
void check_call(const CLI::App& app, TrainCommand& command);

/// Checks the job before input is read, after the model of --continue is known. Throws
/// InvalidArgument.
void check_job(const TrainCommand& command);

/// Reads the files. Validation and test files get the training file's columns.
TrainInput read_files(const TrainCommand& command, Session& session);

/// Decides whether the columns are positions in lists, by --columns or by a guess that it notes,
/// and sets the normaliser for them.
void settle_columns(TrainCommand& command, const TrainingSet& train, const Session& session);

/// Scores the queries' candidates in the database.
TrainInput read_database(const TrainCommand& command, Executor& executor, Session& session);

/// Takes settings that were not given from the model of --continue. Throws InvalidArgument for
/// contradictions.
void continue_from(const FusionModel& model, TrainCommand& command);

/// Sets `parameters` in the job's options. Throws as `resolve_parameters` and `resolve_choices` do.
void set_parameters(const std::vector<std::string>& parameters, TrainingJob& job);

/// Sets --tune in the job. Throws as `all_settings` does.
void set_tuning(TrainCommand& command);

/// Parses "min-max", "arctan:scale=0.5", "scale". Throws as `normalise` does for invalid ones.
void set_normaliser(const std::string& text, const std::string& missing, TrainingJob& job);

/// Learns on by each batch of new clicks and writes the model, until it is interrupted.
int follow_clicks(TrainCommand& command, Session& session);

/// The clicks' options, with the session's messages and limits.
ClickOptions click_options(const TrainCommand& command, Session& session);

/// Why the learned ranking is not to be installed: the figures, and what it would take. "" if it is
/// better than each of TrainReport::references.
std::string why_not_install(const TrainReport& report);

/// Texts of --runs: what was learned ranks the queries that it wasn't learned from, one run a split
/// into folds, or one of the test queries, and the grades of a LETOR file. Throws Error for
/// documents without names.
std::map<std::string, std::string> held_out_runs(const TrainReport& report,
                                                 const TrainInput& input);

/// Throws before the work if the folder can't be made.
void check_runs_writable(const TrainCommand& command);

void print_text(const TrainReport& report);
void print_json(const TrainReport& report);

}  // namespace braid::cli
