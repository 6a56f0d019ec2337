// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/cli/options/command.h"
#include "braid/cli/options/pool_input.h"
#include "braid/cli/options/search_setup.h"
#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/training_findings.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/methods/coordinate.h"
#include "braid/core/model/fusion_model.h"
#include "braid/indexer/formats/click_reader.h"

namespace braid::cli {

/// Queries of a database that are not learned from; "" is none.
struct HeldOut {
    std::string queries;
    std::string judgements;
};

/// What `braid train` was asked for.
struct TrainCommand {
    std::string letor;
    std::string validation;
    std::string test;
    SearchSetup setup;  ///< Of --db; its model is that of --model-rankers.
    QueryInput queries;
    QueryExtras extras;
    JudgementInput judgements;
    PoolInput pool;
    QueryFeatureInput query_features;
    HeldOut validation_set;
    HeldOut test_set;
    std::string clicks;
    ClickOptions click_reading;
    std::string continued;   ///< A model that learning goes on from.
    std::string model;       ///< Where the new one goes; "" for nowhere.
    bool install = false;    ///< Into the databases that were learned from.
    std::string normaliser;  ///< "": what fits the learner.
    std::string columns;     ///< "positions", "scores" or "", to be guessed.
    std::string missing = "refuse";
    std::vector<std::string> parameters;  ///< "name=value"
    std::vector<std::string> tuned;       ///< "name=value,value", or "": the learner's own grid.
    TrainingJob job;
    CrossValidationOptions folding = {.folds = 0};  ///< folds 0: none.
    std::size_t threads = 0;
    bool no_oracle = false;
    bool json = false;
    std::vector<std::string> reports;  ///< Files of --report; "-" is standard output.
    std::string figures;               ///< A folder for the report's pictures; "": none.

    bool has_report() const { return !reports.empty() || !figures.empty(); }
    bool from_database() const { return !setup.databases.empty(); }
    /// Whether anything says what is relevant among what is learned from.
    bool is_judged() const {
        return !from_database() || !judgements.path.empty() || !clicks.empty();
    }
    bool has_validation() const { return !validation.empty() || !validation_set.queries.empty(); }
    bool has_test() const { return !test.empty() || !test_set.queries.empty(); }

    // What was given and can't be taken from a continued model then.
    bool gave_learner = false;
    bool gave_normaliser = false;
    bool may_guess_columns = false;  ///< Nothing that was given takes them for scores.
    bool gave_query_features = false;
    bool gave_seed = false;
    bool gave_measure = false;
    bool gave_hold_back = false;
    bool gave_relevance = false;
};

/// What there is to learn from.
struct TrainInput {
    TrainingSet train;
    std::optional<TrainingSet> validation = {};
    std::optional<TrainingSet> test = {};
    std::vector<RankerSpec> rankers = {};               ///< One for each of the sets'.
    std::vector<double> anchor = {};                    ///< TrainingJob::anchor.
    Candidates candidates = Candidates::kWords;         ///< What was learned from.
    std::vector<TopicModelIdentity> topic_models = {};  ///< That the rankers used.
    double now = 0;  ///< What ages were counted from, where a ranker counts any.
};

/// All that `braid train` has to say.
struct TrainReport {
    const TrainCommand& command;
    TrainedModel trained = {};
    TrainingCounts counts = {};
    std::vector<std::string> measures = {};  ///< Full names; the first was the aim.
    std::vector<double> shares = {};         ///< One a ranker; empty where the function is no sum.
    std::optional<CrossValidation> folds = {};
    std::vector<BaselineComparison> baselines = {};  ///< On the test file or the folds.
    std::optional<QueryOracle> oracle = {};          ///< Of the test file, else the training set.
    double oracle_mean = 0;                          ///< Over the queries that means are over.
    double now = 0;                                  ///< TrainInput::now.
    std::optional<TrainingFindings> findings = {};   ///< Where a report was asked for.
};

/// What is wrong with the call before anything is read; fills in what depends on what was given.
/// Throws CLI::ValidationError.
void check_call(const CLI::App& app, TrainCommand& command);

/// What is wrong with what is to be learned, before it's read, --continue's model looked at. Throws
/// InvalidArgument.
void check_job(const TrainCommand& command);

/// Reads the files. Columns of validation and test are those of the training file.
TrainInput read_files(const TrainCommand& command, Session& session);

/// Whether the file's columns are positions in lists: as --columns says, or guessed and said. They
/// are normalised as such then.
void settle_columns(TrainCommand& command, const TrainingSet& train, const Session& session);

/// Scores the queries' candidates in the database.
TrainInput read_database(const TrainCommand& command, Executor& executor, Session& session);

/// Takes over from the model of --continue what was not given. Throws InvalidArgument where they
/// contradict each other.
void continue_from(const FusionModel& model, TrainCommand& command);

/// Puts `parameters` into the job's options. Throws as `resolve_parameters` and `resolve_choices`.
void set_parameters(const std::vector<std::string>& parameters, TrainingJob& job);

/// Puts what --tune says into the job. Throws as `all_settings`.
void set_tuning(TrainCommand& command);

/// "min-max", "arctan:scale=0.5", "scale". Throws as `normalise` for what can't be meant.
void set_normaliser(const std::string& text, const std::string& missing, TrainingJob& job);

void print_text(const TrainReport& report);
void print_json(const TrainReport& report);

}  // namespace braid::cli
