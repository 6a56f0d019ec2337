// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "braid/cli/options/query_input.h"
#include "braid/cli/options/train_setup.h"
#include "braid/cli/output/output.h"
#include "braid/cli/report/train_report.h"
#include "braid/config.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/learn/job/measured_parts.h"
#include "braid/core/learn/job/one_pass.h"
#include "braid/core/learn/learner_checks.h"
#include "braid/core/model/model_function.h"
#include "braid/error.h"
#include "braid/features.h"

namespace braid::cli {
namespace {

constexpr const char* kTrainFooter = R"(
Means are over all queries of a file. Queries without relevant documents count 0, or are left out with
--skip-empty. With --folds, each query is tested by a model that was not learned from it; --model
writes a model learned from all queries. A stopped command writes nothing.

Examples:
  braid train --letor train.txt --vali vali.txt --test test.txt --learner coordinate
  braid train --letor all.txt --learner genm-bat --normalise min-max --folds 5 --model model.yaml
  braid train --letor train.txt --learner genm-on -p passes=10 -p order=shuffled --model on.yaml
  braid train --letor new.txt --continue on.yaml --model on.yaml
  braid train --db med --queries MED.QRY --qrels MED.REL --folds 5 --install
  braid train --letor all.txt --learner genm-bat --folds 5 --report all.html --figures pictures
  braid train --db med --queries 1.qry --qrels MED.REL --vali-queries 2.qry --vali-qrels MED.REL
  braid train --db shop --config shop.yaml
  braid train --db shop --queries log.txt --clicks clicks.tsv --follow --model on.yaml
  braid train --db mail --queries log.txt --learner uns-enm --model-rankers mail --model m.yaml

The section `training` of --config names queries, judgements, learner, measure and folds.
`braid learners` lists learners; `braid learners genm-on` lists that learner's parameters for -p.
docs/guide/training.md explains the output.)";

// The mean of best values over the queries that other means are over.
double oracle_mean(const QueryOracle& oracle, const TrainingJob& job, const TrainingSet& set,
                   Executor& executor) {
    const LinearFunction any{std::vector<double>(set.width(), 1)};
    const QueryValues counted = measure_queries(set, any, job.options.measure, job.options.judging,
                                                job.skip_empty, executor);
    double sum = 0;
    for (const double value : oracle.values) sum += value;
    return counted.values.empty() ? 0 : sum / static_cast<double>(counted.values.size());
}

// Compares on the test file, or on the folds, which leave nothing to do.
void compare(TrainReport& report, const TrainInput& input, Executor& executor) {
    const TrainingJob& job = report.command.job;
    if (report.folds) {
        report.baselines = report.folds->baselines;
        if (input.references) {
            report.references = compare_with_references(job, *input.references, *report.folds,
                                                        report.command.folding.baselines);
        }
        report.trained.model.provenance.measures = report.folds->measures;
        return;
    }
    if (!input.test) return;
    const TrainingSet test = prepared_set(*input.test, report.trained.preparation);
    const RankingFunction& function = report.trained.result.function;
    report.trained.model.provenance.measures = measure_means(job, test, function, executor);
    const QueryValues learned = measure_queries(test, function, job.options.measure,
                                                job.options.judging, job.skip_empty, executor);
    report.baselines =
        compare_with_baselines(job, test, prepared_weights(job.anchor, *input.test, test), learned,
                               report.command.folding.baselines, executor);
    if (!input.test_references) return;
    report.references = compare_with_references(job, *input.references, *input.test_references,
                                                learned, report.command.folding.baselines);
}

void find_oracle(TrainReport& report, const TrainInput& input, Executor& executor,
                 const Progress& progress) {
    const TrainCommand& command = report.command;
    const TrainingSet set =
        prepared_set(input.test ? *input.test : input.train, report.trained.preparation);
    LearnerOptions options;
    options.seed = command.job.options.seed;
    options.measure = command.job.options.measure;
    options.judging = command.job.options.judging;
    report.oracle = find_query_oracle(set, options, executor, progress);
    report.oracle_mean = oracle_mean(*report.oracle, command.job, set, executor);
}

void find_for_report(TrainReport& report, const TrainInput& input, Executor& executor,
                     const Progress& progress) {
    const TrainCommand& command = report.command;
    report.findings = find_out({.job = command.job,
                                .trained = report.trained,
                                .train = input.train,
                                .validation = input.validation ? &*input.validation : nullptr,
                                .test = input.test ? &*input.test : nullptr,
                                .folds = report.folds ? &*report.folds : nullptr,
                                .folding = command.folding,
                                .oracle = report.oracle ? &*report.oracle : nullptr},
                               executor, progress);
}

const std::vector<std::string>& installed_in(const TrainCommand& command) {
    const SearchSetup& setup = command.setup;
    return setup.sidecars.empty() ? setup.databases : setup.sidecars;
}

// What installing needs is looked at before anything is learned.
void prepare_install(const TrainCommand& command, const Session& session) {
    check_installable(installed_in(command));
    const LearnerInfo& info = learners().find(command.job.learner);
    const ChoiceMap choices = resolve_options(info, command.job.options).choices;
    const std::string reason = why_second_pass(info, choices, command.job.normaliser);
    if (!reason.empty())
        session.note("searches will score by the model in a second pass: " + reason);
}

// A file says nothing of its queries but what their lists look like, unless embeddings come with
// it.
void describe_lists(TrainCommand& command, const Session& session) {
    const LearnerInfo& info = learners().find(command.job.learner);
    const ChoiceMap choices = resolve_options(info, command.job.options).choices;
    if (command.from_database() || !needs_query_features(info, choices)) return;
    if (!command.query_features.embeddings.empty()) return;
    command.job.list_statistics = true;
    session.note(
        "weights follow from statistics of each query's lists: documents, spread of scores, "
        "agreement of the features");
}

// What follows sees only the columns that were learned from.
void keep_columns(TrainInput& input, Preparation& preparation) {
    if (preparation.columns.empty()) return;
    const std::vector<std::size_t> columns = std::move(preparation.columns);
    preparation.columns.clear();
    input.train = with_columns(input.train, columns);
    if (input.test) input.test = with_columns(*input.test, columns);
}

// What the list of installed models says of this one.
InstalledModel record_of(const TrainReport& report, const std::string& refusal) {
    InstalledModel record{.by = "braid train", .measure = report.measures[0]};
    if (!refusal.empty()) record.note = "by --force";
    if (!report.references) return record;
    const ReferenceComparison& found = *report.references;
    const BaselineComparison& first = found.rankings[0];
    record.queries = found.queries;
    record.figures.push_back({"learned", first.mean + first.difference, 1});
    for (const BaselineComparison& ranking : found.rankings) {
        record.figures.push_back({ranking.name, ranking.mean, ranking.p});
    }
    if (report.one_pass) {
        record.figures.push_back(
            {report.one_pass->name, report.one_pass->mean, report.one_pass->p});
    }
    return record;
}

// Fitted to what held queries out, and measured on the test queries, if there are any; nothing
// without held-out scores that can be calibrated.
std::optional<CalibrationFindings> calibration_of(const TrainedModel& trained,
                                                  const CrossValidation* folds,
                                                  const TrainInput& input, Grade least) {
    if (folds == nullptr && !input.validation) return {};
    const HeldOutScores held_out = folds != nullptr
                                       ? fold_scores(trained, *folds, input.train, least)
                                       : own_scores(trained, *input.validation, least);
    if (held_out.scores.empty()) return {};
    CalibrationFindings found = calibrate(held_out);
    const bool has_test = input.test && !found.calibration.empty();
    if (has_test) measure_on_test(found, own_scores(trained, *input.test, least));
    return found;
}

// Before columns are dropped: folds know those of the set as it was read.
void calibrate_scores(TrainReport& report, const TrainInput& input, Session& session) {
    const Grade least = report.command.job.options.judging.relevant_from;
    const CrossValidation* folds = report.folds ? &*report.folds : nullptr;
    if (folds == nullptr && !input.validation) return;
    auto found = calibration_of(report.trained, folds, input, least);
    if (!found) {
        if (report.command.is_judged()) {
            session.note(
                "scores have no probabilities: those of this kind of model don't compare "
                "between queries");
        }
    } else if (found->calibration.empty()) {
        session.note(
            "scores have no probabilities: too few held-out queries have relevant and "
            "other documents");
    } else {
        report.trained.model.calibration = found->calibration;
        report.calibration = std::move(found);
    }
}

// The first pass alone of a model of two: how it ranks, and what its scores mean. As above.
void measure_one_pass(TrainReport& report, const TrainInput& input, Executor& executor) {
    const TrainingJob& job = report.command.job;
    const auto alone = in_one_pass(report.trained, job.anchor);
    if (!alone || !report.command.is_judged()) return;
    std::optional<CrossValidation> folds;
    if (report.folds) folds = in_one_pass(*report.folds, job.anchor);
    const auto found =
        calibration_of(*alone, folds ? &*folds : nullptr, input, job.options.judging.relevant_from);
    if (found && !found->calibration.empty()) {
        set_one_pass_calibration(report.trained.model, found->calibration);
    }
    if (!folds && !input.test) return;
    const auto values = [&](const CrossValidation* of_folds, const TrainedModel& trained) {
        const MeasuredParts parts =
            of_folds != nullptr ? MeasuredParts::of_folds(job, input.train, *of_folds, executor)
                                : MeasuredParts::of_set(job, *input.test, trained, executor);
        return parts.values(report.measures[0]);
    };
    report.one_pass =
        compare_values(report.measures[0],
                       values(report.folds ? &*report.folds : nullptr, report.trained),
                       {"in one pass"}, {values(folds ? &*folds : nullptr, *alone)},
                       report.command.folding.baselines)
            .front();
}

// Folds, and the model of all training queries, with what is known of its origin.
void learn(TrainReport& report, TrainCommand& command, TrainInput& input, Executor& executor,
           Session& session) {
    const Progress progress = session.progress();
    const TrainingSet* validation = input.validation ? &*input.validation : nullptr;
    command.job.anchor = input.anchor;
    command.job.variants = input.variants;
    command.job.follow = command.has_report();
    command.job.held_out = input.test ? &*input.test : nullptr;
    report.measures = reported_measures(command.job);
    report.counts = training_counts(input.train, command.job.options.judging.relevant_from);
    if (command.folding.folds > 0) {
        report.folds = cross_validate(command.job, input.train, validation, command.folding,
                                      executor, progress);
    }
    // Folds know the columns of the set as it was read.
    if (report.folds) report.runs = held_out_runs(report, input);
    report.trained =
        train_model(command.job, input.rankers, input.train, validation, executor, progress);
    calibrate_scores(report, input, session);
    measure_one_pass(report, input, executor);
    keep_columns(input, report.trained.preparation);
    if (!report.folds) report.runs = held_out_runs(report, input);
    if (const auto* weights = fixed_weights(report.trained.result.function)) {
        report.shares = shares({*weights}, prepared_set(input.train, report.trained.preparation));
    }
    report.trained.model.provenance.topic_models = input.topic_models;
    report.trained.model.candidates = input.candidates;
    report.now = input.now;
    report.unmeasured = input.unmeasured;
}

int train(TrainCommand& command, Session& session) {
    if (!command.model.empty()) check_writable(command.model);
    check_reports_writable(command);
    check_runs_writable(command);
    if (!command.continued.empty()) continue_from(load_model(command.continued), command);
    set_parameters(command.parameters, command.job);
    set_tuning(command);
    check_job(command);
    if (command.follow) return follow_clicks(command, session);
    if (command.install) prepare_install(command, session);
    describe_lists(command, session);
    const auto executor = make_executor(command.threads);
    TrainInput input = command.from_database() ? read_database(command, *executor, session)
                                               : read_files(command, session);
    if (!command.from_database()) settle_columns(command, input.train, session);
    TrainReport report{.command = command};
    learn(report, command, input, *executor, session);
    const Progress progress = session.progress();
    compare(report, input, *executor);
    const bool is_judged = input.test || report.trained.model.provenance.learning.judgements > 0;
    if (!command.no_oracle && is_judged) find_oracle(report, input, *executor, progress);
    if (command.has_report()) find_for_report(report, input, *executor, progress);
    session.finish();
    const WarningSink warn = session.warnings();
    for (const std::string& warning : report.trained.result.warnings) warn(warning);
    if (interrupted()) throw Cancelled("stopped after learning, before anything was written");
    if (!command.model.empty()) write_file(command.model, format_model(report.trained.model));
    const std::string refusal = command.install ? why_not_install(report) : "";
    const bool installs = command.install && (refusal.empty() || command.force);
    if (installs) {
        install_model(installed_in(command), report.trained.model, record_of(report, refusal));
    }
    if (command.json) {
        print_json(report);
    } else {
        print_text(report);
    }
    if (command.has_report()) write_reports(report, session);
    for (const auto& [name, text] : report.runs) {
        write_file((std::filesystem::path(command.runs) / name).string(), text);
        session.note("written to " + command.runs + ": " + name);
    }
    if (!command.model.empty()) session.note("model written to " + command.model);
    if (!installs && command.install) throw Error("not installed: " + refusal);
    if (!refusal.empty()) session.note("installed by --force: " + refusal);
    if (installs) session.note("the database is ranked by the model from now on");
    return kDone;
}

void add_held_out(CLI::App& app, HeldOut& set, const std::string& option, const std::string& what) {
    CLI::Option* queries =
        add_value(app, option + "-queries", set.queries, "FILE", "Queries of the database " + what);
    add_value(app, option + "-qrels", set.judgements, "FILE", "Their judgements")->needs(queries);
    queries->needs(option + "-qrels");
}

void add_input_options(CLI::App& app, TrainCommand& command) {
    add_value(app, "--letor", command.letor, "FILE",
              "LETOR file to learn from; - is standard input")
        ->group("Input");
    add_value(app, "--vali", command.validation, "FILE",
              "LETOR file of validation queries, which choose the learner's best step")
        ->group("Input");
    add_value(app, "--test", command.test, "FILE",
              "LETOR file of test queries, which measure the result")
        ->group("Input");
    add_place_setup(app, command.setup);
    add_value(app, "--model-rankers", command.setup.model, "MODEL",
              "Rankers to learn weights for: a model file, a preset or a ranker's name [the "
              "configuration's, else the installed model's, else the preset standard's]. With "
              "--letor: the rankers that the features are named after");
    add_query_input(app, command.queries);
    app.get_option("--queries")->required(false);
    add_query_extras(app, command.extras);
    add_judgement_input(app, command.judgements, true);
    add_id_prefix(app, command.queries.prefixes, kPrefixHelp);
    add_value(app, "--clicks", command.clicks, "FILE",
              "Click log, instead of judgements (docs/formats.md)");
    app.add_option("--least-shown", command.click_reading.least_shown,
                   "Documents shown less often than this and never clicked stay unjudged")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str()
        ->needs("--clicks");
    app.add_flag("--follow", command.follow,
                 "Keep learning from clicks as they are added to the log, and write the model "
                 "after each batch, until Ctrl-C; nothing is installed")
        ->needs("--clicks");
    add_pool_input(app, command.pool, nullptr);
    add_query_feature_input(app, command.query_features);
    add_held_out(app, command.validation_set, "--vali", "that choose the learner's best step");
    add_held_out(app, command.test_set, "--test", "to measure the result on");
    add_value(app, "--normalise", command.normaliser, "HOW",
              "Normaliser, listed by `braid normalisers`; or scale, which divides each ranker "
              "by a constant that becomes part of its weight [the learner's: mostly scale, "
              "and z-score for a file of features]")
        ->group("Input");
    app.add_option("--columns", command.columns,
                   "What features mean: scores, or positions in lists, where position p counts 10 "
                   "/ (p + 10) and NULL counts 0 [positions if all are whole numbers from 1 up, "
                   "distinct in each list, and smaller is better]")
        ->check(CLI::IsMember({"positions", "scores"}))
        ->group("Input");
    app.add_option("--missing", command.missing,
                   "What NULL in the file means: an error (refuse), the query's least value "
                   "(minimum) or 0 (zero)")
        ->check(CLI::IsMember({"refuse", "minimum", "zero"}))
        ->capture_default_str()
        ->group("Input");
}

void add_learning_options(CLI::App& app, TrainCommand& command) {
    const OptionGroup group(app, "Learning");
    LearnerOptions& options = command.job.options;
    add_value(app, "--learner,-l", command.job.learner, "LEARNER",
              "Learner, listed by `braid learners` [auto with --db, uns-enm without "
              "judgements; mixed with --letor]");
    add_values(app, "-p", command.parameters, "NAME=VALUE",
               "Parameter of the learner; repeat for several");
    add_value(app, "--tune", command.tuned, "NAME=VALUES",
              "Try these values of a parameter (name=value,value..), and learn with the best "
              "one by --vali or by five-fold cross-validation. Repeat for combinations; a "
              "name alone tries the learner's usual values")
        ->expected(0, 1)
        ->take_all();
    add_value(app, "--hold-back", command.job.hold_back, "PARTS",
              "Mix learned weights with the anchor by a share that held-out queries decide, "
              "cross-validated in this many parts; 0 keeps the learned weights [5 with --db, "
              "0 with --letor]")
        ->check(CLI::Range(0, 1000));
    add_value(app, "--continue", command.continued, "MODEL",
              "Continue this model of a resumable learner")
        ->excludes(app.get_option("--model-rankers"));
    add_value(app, "--measure,-m", options.measure, "MEASURE", "Target measure: map, ndcg@10, ...")
        ->capture_default_str();
    app.add_option("--rel", options.judging.relevant_from, "Lowest relevant grade")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "Random seed")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    add_value(app, "--threads", command.threads, "N",
              "Number of threads [one per core]; the result does not depend on it")
        ->check(CLI::Range(0, kMostThreads));
    add_value(app, "--model", command.model, "FILE", "Write the model to this file");
}

void add_choice_options(CLI::App& app, TrainCommand& command) {
    const OptionGroup group(app, "Learning");
    app.add_flag(
        "--tune-bm25", command.tune_bm25,
        "Tune k1 and b of bm25 (or field weights of bm25f, if it comes first) among 25 pairs; "
        "the present pair stays unless another gains two standard errors on held-out queries");
    app.add_flag("--install", command.install,
                 "Install the model in the database (or its sidecar) if, on the folds [--folds 5] "
                 "or the test queries, it gains over the current ranking and over BM25, default "
                 "and tuned, with p below .1");
    app.add_flag("--force", command.force, "Install the model whatever its figures are")
        ->needs("--install");
}

void add_report_options(CLI::App& app, TrainCommand& command, Session& session) {
    const OptionGroup group(app, "Report");
    add_value(app, "--folds", command.folding.folds, "K", "Number of cross-validation folds")
        ->check(CLI::Range(2, 1000000));
    add_value(app, "--fold-seeds", command.folding.seeds, "SEEDS",
              "Repeat the folds for each of these seeds, comma-separated")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_value(app, "--measures", command.job.measures, "MEASURES",
              "Measures to show beside --measure [map,ndcg@10,p@5; with --letor also "
              "ndcg-letor@10, by LETOR's own convention]")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_flag("--skip-empty", command.job.skip_empty,
                 "Leave queries without relevant documents out of means");
    app.add_option("--paired-test", command.folding.baselines.test,
                   "Significance test against uniform weights and single rankers")
        ->check(CLI::IsMember(paired_tests().names()))
        ->capture_default_str();
    app.add_flag("--no-oracle", command.no_oracle, "Skip the best weights per query, the ceiling");
    add_values(app, "--report", command.reports, "FILE",
               "Write a report: FILE.html, FILE.json, FILE.txt, or - for text on standard output");
    add_value(app, "--figures", command.figures, "FOLDER",
              "Write the report's figures into this folder, as SVG files");
    add_value(app, "--runs", command.runs, "FOLDER",
              "Write TREC runs of the held-out queries into this folder, for `braid eval` to "
              "compare learners: LEARNER.run, or LEARNER-SEED.run for each of several "
              "--fold-seeds; with --letor also judgements.qrels");
    app.add_flag("--json", command.json, "Print JSON, with every fold and ranker");
    add_message_flags(app, session);
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
    const auto command = std::make_shared<TrainCommand>();
    command->job.measures = {"map", "ndcg@10", "p@5"};
    CLI::App* sub = app.add_subcommand("train", "Learn the weights of a fusion model");
    sub->footer(kTrainFooter);
    add_input_options(*sub, *command);
    add_learning_options(*sub, *command);
    add_choice_options(*sub, *command);
    add_report_options(*sub, *command, session);
    add_limits(*sub, session, {"words", "line", "dimensions", "memory"});
    set_action(*sub, session, command, train,
               [sub](TrainCommand& given) { check_call(*sub, given); });
}

}  // namespace braid::cli
