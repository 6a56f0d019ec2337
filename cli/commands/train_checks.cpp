// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/cli/options/train_setup.h"
#include "braid/cli/report/train_report.h"
#include "braid/config.h"
#include "braid/core/eval/measure.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/learner_checks.h"
#include "braid/error.h"

// Every option is read, or refused. docs/guide/training.md has the table.

namespace braid::cli {
namespace {

// Folds of --install where the call names none.
constexpr std::size_t kInstallFolds = 5;

[[noreturn]] void refuse(const std::string& message) { throw CLI::ValidationError(message); }

void refuse_without(const CLI::App& app, const std::string& missing,
                    const std::vector<std::string>& options) {
    for (const std::string& option : options) {
        if (app.count(option) > 0) refuse(fmt::format("{} needs {}", option, missing));
    }
}

// Positions have a normaliser of their own.
void check_columns(const CLI::App& app, const TrainCommand& command) {
    if (command.columns != "positions") return;
    const bool is_scaled = command.normaliser == "scale" || command.normaliser == "none";
    if (app.count("--normalise") > 0 && !is_scaled) {
        refuse("--columns positions: --normalise " + command.normaliser +
               " takes scores, expected scale or none");
    }
    if (app.count("--missing") > 0 && command.missing != "zero") {
        refuse("--columns positions: a list that lacks a document counts 0; --missing " +
               command.missing + " is for scores");
    }
    if (!command.setup.config.empty() || !command.setup.model.empty()) {
        refuse("--columns positions: the rankers of --config and --model-rankers give scores");
    }
}

void check_file_options(const CLI::App& app, const TrainCommand& command) {
    if (!command.setup.config.empty()) {
        if (!command.continued.empty()) {
            refuse("--continue takes the rankers of its model; --config then needs --db");
        }
        if (!command.setup.model.empty()) {
            refuse("--config and --model-rankers both say what the features are; --db takes both");
        }
    }
    if (!command.columns.empty() && !command.continued.empty()) {
        refuse("--columns: --continue keeps that of its model");
    }
    check_columns(app, command);
    if (command.normaliser.substr(0, command.normaliser.find(':')) == "bound") {
        refuse("--normalise bound needs --db: a file of features has no bounds");
    }
    refuse_without(app, "--db", {"--queries",       "--queries-format",
                                 "--query-fields",  "--query-ids",
                                 "--id-prefix",     "--qrels",
                                 "--qrels-format",  "--grades",
                                 "--pool",          "--pool-from",
                                 "--add-judged",    "--id",
                                 "--candidates",    "--clusters-visited",
                                 "--sidecar",       "--query-features",
                                 "--query-vectors", "--now",
                                 "--install",       "--force",
                                 "--tune-bm25"});
    refuse_without(app, "--db; --vali is a file of features", {"--vali-queries", "--vali-qrels"});
    refuse_without(app, "--db; --test is a file of features", {"--test-queries", "--test-qrels"});
}

// What learns from a log as it grows has no queries to hold out.
void check_follow(const CLI::App& app, const TrainCommand& command) {
    if (!command.follow) return;
    if (command.model.empty()) refuse("--follow needs --model, the file that each batch renews");
    if (command.clicks == "-") refuse("--follow needs a file that grows, found standard input");
    const LearnerInfo& info = learners().find(command.job.learner);
    if (command.continued.empty() && !info.resumable) {
        refuse(
            fmt::format("--follow: {} always learns anew, expected a learner that continues, as "
                        "genm-on",
                        info.name));
    }
    for (const char* option :
         {"--install", "--folds", "--vali", "--test", "--vali-queries", "--test-queries", "--tune",
          "--tune-bm25", "--hold-back", "--report", "--figures", "--runs", "--json"}) {
        if (app.count(option) > 0) {
            refuse(
                fmt::format("{} can't be given with --follow, which learns from each batch as "
                            "it comes",
                            option));
        }
    }
}

// Options about judgements where there are none at all.
void check_unjudged(const CLI::App& app, const TrainCommand& command) {
    if (command.is_judged()) return;
    if (command.continued.empty() && learners().find(command.job.learner).needs_judgements) {
        refuse(command.job.learner +
               " needs --qrels or --clicks; uns-enm learns without judgements");
    }
    if (command.folding.folds > 0) refuse("--folds needs --qrels or --clicks to measure by");
    if (!command.tuned.empty()) refuse("--tune needs --qrels or --clicks to measure by");
    refuse_without(app, "--qrels or --clicks", {"--add-judged"});
    if (command.has_validation() || command.has_test()) return;
    refuse_without(app, "judgements to measure by",
                   {"--measure", "--measures", "--rel", "--skip-empty", "--no-oracle"});
}

void check_database_options(const CLI::App& app, const TrainCommand& command) {
    refuse_without(app, "--letor; with --db it is --vali-queries and --vali-qrels", {"--vali"});
    refuse_without(app, "--letor; with --db it is --test-queries and --test-qrels", {"--test"});
    refuse_without(app, "--letor: every ranker scores every document of a database", {"--missing"});
    refuse_without(app, "--letor: a database's rankers give scores", {"--columns"});
    if (command.normaliser.substr(0, command.normaliser.find(':')) == "position") {
        refuse("--normalise position needs --letor: a database's rankers give scores");
    }
    if (command.queries.paths.empty()) refuse("--db needs --queries");
    if (!command.judgements.paths.empty() && !command.clicks.empty()) {
        refuse("found both --qrels and --clicks, expected one of them");
    }
    const bool has_qrels =
        !command.judgements.paths.empty() || command.has_validation() || command.has_test();
    if (!has_qrels) refuse_without(app, "--qrels", {"--qrels-format", "--grades"});
    check_unjudged(app, command);
}

void check_folds(const CLI::App& app, const TrainCommand& command) {
    const CrossValidationOptions& folding = command.folding;
    if (app.count("--fold-seeds") > 0 && folding.folds == 0) refuse("--fold-seeds needs --folds");
    if (app.count("--paired-test") > 0 && folding.folds == 0 && !command.has_test()) {
        refuse("--paired-test needs --folds or --test");
    }
    if (folding.folds > 0 && command.has_test()) {
        refuse("--folds can't be given with --test: it tests on parts of the training set");
    }
    if (folding.folds > 0 && !command.continued.empty()) {
        refuse("--folds can't be given with --continue: it learns each fold anew");
    }
    std::vector<std::uint64_t> seeds = folding.seeds;
    std::sort(seeds.begin(), seeds.end());
    if (std::adjacent_find(seeds.begin(), seeds.end()) != seeds.end()) {
        refuse("--fold-seeds: a seed is given twice");
    }
}

// BM25 with other parameters is a matter of training queries, and of no report.
void check_bm25_tuning(const TrainCommand& command) {
    if (!command.tune_bm25) return;
    if (!command.is_judged()) refuse("--tune-bm25 needs --qrels or --clicks to measure by");
    if (!command.continued.empty()) {
        refuse("--tune-bm25 can't be given with --continue, which keeps its model's rankers");
    }
    if (command.has_report()) {
        refuse(
            "--tune-bm25 can't be given with --report or --figures, which compare fixed rankers");
    }
}

// The figures that decide about --install.
void check_install(TrainCommand& command) {
    if (!command.install || command.force || command.has_test()) return;
    if (!command.continued.empty()) {
        refuse(
            "--install with --continue needs --test-queries, which show whether the model is "
            "better than the current ranking; --force installs it without");
    }
    if (!command.is_judged()) {
        refuse(
            "--install needs --qrels, --clicks or --test-queries, which show whether the model is "
            "better than the current ranking; --force installs it without");
    }
    if (command.folding.folds == 0) command.folding.folds = kInstallFolds;
}

void check_parameters(const TrainCommand& command) {
    std::set<std::string> names;
    for (const std::string& text : command.parameters) {
        const std::string name = text.substr(0, text.find('='));
        if (!names.insert(name).second) refuse(fmt::format("-p {}: given twice", name));
        if (text.rfind("patience=", 0) != 0 || text == "patience=0" || command.has_validation()) {
            continue;
        }
        refuse(fmt::format("-p {} needs validation queries, expected {}", text,
                           command.from_database() ? "--vali-queries" : "--vali"));
    }
}

// Held-out files are read as --queries and --qrels are: with several of these, nothing says which.
void check_prefixes(const TrainCommand& command) {
    if (command.queries.prefixes.empty()) return;
    if (!command.clicks.empty()) {
        refuse("--id-prefix needs --qrels: clicks name documents as the database does");
    }
    const bool has_held_out =
        !command.validation_set.queries.empty() || !command.test_set.queries.empty();
    if (has_held_out && command.queries.prefixes.size() > 1) {
        refuse(
            "--vali-queries and --test-queries take the --id-prefix of --queries, expected one of "
            "each");
    }
}

void check_files(TrainCommand& command) {
    command.judgements.prefixes = command.queries.prefixes;
    check_query_files(command.queries, command.judgements);
    check_prefixes(command);
    const auto first = [](const std::vector<std::string>& paths) {
        const bool reads = std::find(paths.begin(), paths.end(), "-") != paths.end();
        return std::string(reads ? "-" : "");
    };
    check_standard_input({{"--letor", command.letor},
                          {"--vali", command.validation},
                          {"--test", command.test},
                          {"--queries", first(command.queries.paths)},
                          {"--qrels", first(command.judgements.paths)},
                          {"--clicks", command.clicks},
                          {"--vali-queries", command.validation_set.queries},
                          {"--vali-qrels", command.validation_set.judgements},
                          {"--test-queries", command.test_set.queries},
                          {"--test-qrels", command.test_set.judgements}});
}

constexpr std::size_t kHoldBackParts = 5;

// What the configuration's section `training` says and no option does. A learner of the call takes
// nothing from it that belongs to another learner; --continue takes all from its model.
void use_training_section(const CLI::App& app, TrainCommand& command) {
    if (command.setup.config.empty()) return;
    TrainingSettings training;
    try {
        training = load_settings(command.setup.config).training;
    } catch (const Error&) {
        return;  // settings_of says so before anything is learned.
    }
    const auto gave = [&](const char* option) { return app.count(option) > 0; };
    const auto set_path = [](std::vector<std::string>& paths, const std::string& path) {
        paths.clear();
        if (!path.empty()) paths.push_back(path);
    };
    if (command.from_database()) {
        if (!gave("--queries")) set_path(command.queries.paths, training.queries);
        if (!gave("--qrels") && !gave("--clicks")) {
            set_path(command.judgements.paths, training.qrels);
            command.clicks = training.clicks;
        }
    }
    if (!command.continued.empty()) return;
    if (!gave("--measure")) command.job.options.measure = training.measure;
    if (!gave("--folds") && command.is_judged() && !command.has_test()) {
        command.folding.folds = training.folds;
    }
    if (training.learner.empty()) return;
    if (!gave("--learner")) command.job.learner = training.learner;
    command.gave_learner = true;
    if (command.job.learner != training.learner) return;
    for (const auto& [name, value] : training.options) {
        const bool is_given = std::any_of(
            command.parameters.begin(), command.parameters.end(),
            [&, start = name + "="](const auto& one) { return one.starts_with(start); });
        if (!is_given) command.parameters.push_back(fmt::format("{}={}", name, value));
    }
    if (gave("--tune")) return;
    for (const auto& [name, values] : training.tune) {
        command.tuned.push_back(fmt::format("{}={}", name, fmt::join(values, ",")));
    }
}

// What learns where --learner does not say.
std::string default_learner(const TrainCommand& command) {
    if (!command.is_judged()) return "uns-enm";
    if (command.follow) return "genm-on";
    return command.from_database() ? command.job.learner : "mixed";
}

// A file's scores may be of any kind. Where they are not those of rankers, no search has to take
// the normaliser in, and statistics of each query do better than one number a feature.
std::string default_normaliser(const TrainCommand& command, const LearnerInfo& info) {
    const bool has_rankers =
        command.from_database() || !command.setup.config.empty() || !command.setup.model.empty();
    return info.normaliser == "scale" && !has_rankers ? "z-score" : info.normaliser;
}

// Fills in what was not given and depends on the rest.
void set_defaults(const CLI::App& app, TrainCommand& command) {
    use_training_section(app, command);
    command.gave_learner = command.gave_learner || app.count("--learner") > 0;
    if (!command.gave_learner) command.job.learner = default_learner(command);
    command.gave_normaliser = app.count("--normalise") + app.count("--missing") > 0;
    command.may_guess_columns =
        app.count("--normalise") == 0 && (app.count("--missing") == 0 || command.missing == "zero");
    command.gave_query_features =
        app.count("--query-features") + app.count("--query-embeddings") > 0;
    command.gave_seed = app.count("--seed") > 0;
    command.gave_measure = app.count("--measure") > 0;
    if (!command.from_database() && app.count("--measures") == 0) {
        // Published figures of LETOR's collections are of the second of these conventions.
        command.job.measures = {"map", "ndcg@10", "ndcg-letor@10", "p@5"};
    }
    command.gave_relevance = app.count("--rel") > 0;
    const LearnerInfo& info = learners().find(command.job.learner);
    command.gave_hold_back = app.count("--hold-back") > 0;
    const bool holds = !command.follow && command.from_database() && can_hold_back(info, {}) &&
                       !command.has_validation();
    if (!command.gave_hold_back) command.job.hold_back = holds ? kHoldBackParts : 0;
    if (command.normaliser.empty()) command.normaliser = default_normaliser(command, info);
}

void check_hold_back(const TrainCommand& command, const LearnerInfo& info) {
    if (!command.gave_hold_back) return;
    if (info.holds_back) {
        throw InvalidArgument("--hold-back: " + info.name +
                              " holds weights back by itself; -p parts=N says in how many parts");
    }
    if (command.job.hold_back == 0) return;
    if (command.job.hold_back == 1) {
        throw InvalidArgument(
            "--hold-back 1: one part leaves none to learn from, expected 0, or "
            "2 and more");
    }
    if (!can_hold_back(info, command.job.options.choices)) {
        throw InvalidArgument("--hold-back: " + info.name +
                              " learns no weights here that can be held back");
    }
    if (command.has_validation()) {
        throw InvalidArgument(
            "--hold-back can't be given with a validation set, which decides itself");
    }
}

}  // namespace

void check_call(const CLI::App& app, TrainCommand& command) {
    check_nothing_empty(app);
    if (command.model == "-") refuse("--model -: a model is written to a file, not to a pipe");
    try {
        set_defaults(app, command);
        if (command.letor.empty() == !command.from_database()) {
            refuse("expected either --letor, with features, or --db, to compute them");
        }
        check_follow(app, command);
        check_folds(app, command);
        if (command.from_database()) {
            check_database_options(app, command);
            check_install(command);
            check_bm25_tuning(command);
        } else {
            check_file_options(app, command);
        }
        check_files(command);
        if (!command.runs.empty() && !command.measures_held_out()) {
            refuse(
                "--runs needs --folds or test queries: it writes how held-out queries are ranked");
        }
        check_report_options(command);
        pool_options(command.pool);
        check_parameters(command);
        set_normaliser(command.normaliser, command.missing, command.job);
        reported_measures(command.job);
        if (!command.continued.empty()) {
            if (!command.tuned.empty())
                refuse("--tune can't be given with --continue, which keeps its model's settings");
            if (!command.gave_hold_back || command.job.hold_back == 0) return;
            refuse("--hold-back can't be given with --continue, which keeps all learned weights");
        }
        TrainCommand tried = command;
        set_parameters(tried.parameters, tried.job);
        set_tuning(tried);
        check_job(tried);
    } catch (const Error& error) {
        refuse(error.what());
    }
}

void check_job(const TrainCommand& command) {
    const TrainingJob& job = command.job;
    const LearnerInfo& info = learners().find(job.learner);
    if (info.needs_judgements && !command.is_judged()) {
        throw InvalidArgument(job.learner +
                              " needs --qrels or --clicks; uns-enm learns without judgements");
    }
    const auto measure = make_measure(job.options.measure, job.options.judging);
    const std::string not_measured = why_not_measure(info, measure->name());
    if (!not_measured.empty()) throw InvalidArgument("--measure: " + not_measured);
    if (job.scale && !info.takes_scales) {
        throw InvalidArgument("--normalise scale: " + why_not_scaled(info));
    }
    check_hold_back(command, info);
    const ChoiceMap choices = resolve_options(info, job.options).choices;
    if (!command.from_database() && needs_places(info, choices)) {
        throw InvalidArgument(why_places(info));
    }
    const bool reads_features = needs_query_features(info, choices);
    const QueryFeatureInput& features = command.query_features;
    if (command.gave_query_features && !reads_features) {
        throw InvalidArgument(
            "--query-features and --query-embeddings are for query-dependent weights, " +
            job.learner + " learns none");
    }
    const bool has_none =
        features.groups == std::vector<std::string>{"none"} && features.embeddings.empty();
    if (command.from_database() && reads_features && has_none) {
        throw InvalidArgument(job.learner +
                              " learns query-dependent weights, which need query features; found "
                              "--query-features none");
    }
}

}  // namespace braid::cli
