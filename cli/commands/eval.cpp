// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/cli/options/command.h"
#include "braid/cli/options/judged_check.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/output/output.h"
#include "braid/cli/output/text_table.h"
#include "braid/cli/report/eval_report.h"
#include "braid/core/eval/interleaving.h"
#include "braid/core/eval/measure.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/error.h"
#include "braid/indexer/formats/draft_log.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/indexer/formats/runs.h"

namespace braid::cli {
namespace {

using Format = EvalSettings::Format;
using Json = nlohmann::ordered_json;

constexpr std::size_t kCurvePoints = 101;
constexpr std::size_t kDeepestShown = 20;
constexpr double kDecided = 0.05;

constexpr const char* kEvalFooter = R"(
Examples:
  braid eval --qrels med.qrels bm25.run
  braid eval --qrels med.qrels bm25.run lsa.run fused.run --measures map,ndcg@10 --html med.html
  braid eval --qrels med.qrels bm25.run --measures map,P_10 --per-query --format trec
  braid eval --interleaved drafts.tsv

The first run is the baseline of all comparisons unless --baseline names another. `braid measures`
lists measures. docs/guide/evaluation.md explains the output.)";

std::vector<std::string> usual_measures(Format format) {
    if (format != Format::kTrec) return {"map", "ndcg@10", "p@10", "recall@100", "mrr"};
    std::vector<std::string> names = {"map", "rprec", "bpref", "mrr"};
    for (const char* k : {"5", "10", "15", "20", "30", "100", "200", "500", "1000"}) {
        names.push_back(std::string("p@") + k);
    }
    return names;
}

// Full names, each once. How much of what people look at was judged decides what all else is
// worth, so tables always say it: at the deepest cut-off asked for that people may look at.
std::vector<std::string> full_names(const EvalSettings& settings) {
    std::vector<std::string> names;
    std::size_t deepest = 0;
    bool has_judged = settings.format == Format::kTrec;
    for (const std::string& text : settings.measures) {
        const auto measure = make_measure(text, settings.evaluation.measure);
        if (std::find(names.begin(), names.end(), measure->name()) != names.end()) continue;
        names.push_back(measure->name());
        has_judged = has_judged || !is_quality(names.back());
        if (measure->depth() <= kDeepestShown) deepest = std::max(deepest, measure->depth());
    }
    if (!has_judged) names.push_back(fmt::format("judged@{}", deepest <= 1 ? 10 : deepest));
    return names;
}

// "runs/bm25.run.gz" is "bm25" in tables, unless two files would be called the same.
std::vector<std::string> short_labels(const std::vector<std::string>& files) {
    std::vector<std::string> labels;
    for (const std::string& file : files) {
        std::filesystem::path path = std::filesystem::path(file).filename();
        if (path.extension() == ".gz") path = path.stem();
        labels.push_back(path.has_stem() && !path.stem().empty() ? path.stem().string() : file);
    }
    const std::set<std::string> distinct(labels.begin(), labels.end());
    return distinct.size() == labels.size() ? labels : files;
}

std::vector<std::string> run_files(const EvalSettings& settings) {
    std::vector<std::string> files = settings.runs;
    if (!settings.baseline.empty() &&
        std::find(files.begin(), files.end(), settings.baseline) == files.end()) {
        files.insert(files.begin(), settings.baseline);
    }
    return files;
}

// A run and judgements that have nothing in common are of different collections, or name their
// queries or documents in different ways: a table of zeros would hide it.
void check_fit(const EvaluatedRun& run, const Run& read, const Judgements& judgements,
               const std::string& qrels, const WarningSink& warn) {
    const Evaluation& evaluation = run.evaluation;
    if (read.queries().empty() || judgements.queries().empty()) return;
    if (evaluation.missing_queries == evaluation.judged_queries) {
        std::vector<std::string> asked;
        for (const QueryRun& query : read.queries()) asked.push_back(query.query);
        refuse_unjudged(run.file, asked, judgements, qrels);
    }
    JudgedCheck check(judgements);
    for (const QueryRun& query : read.queries()) {
        std::vector<std::string_view> documents;
        std::vector<double> scores;
        for (const ScoredDocument& document : query.documents) {
            documents.push_back(document.document);
            scores.push_back(std::isnan(document.score) ? -HUGE_VAL : document.score);
        }
        check.add(query.query, documents, scores);
    }
    check.warn(run.file, qrels, warn);
}

void note_oddities(const EvaluatedRun& run, const EvalSettings& settings, const Session& session,
                   const WarningSink& warn) {
    const JudgedRun::Oddities& oddities = run.oddities;
    if (oddities.duplicates > 0) {
        warn(fmt::format(
            "{}: {} documents occur twice in a query's list ({} first); the better rank counts",
            run.file, oddities.duplicates, oddities.first_duplicate));
    }
    if (oddities.not_numbers > 0) {
        warn(fmt::format("{}: {} scores are not numbers and rank last", run.file,
                         oddities.not_numbers));
    }
    if (oddities.unjudged_queries > 0) {
        session.note(fmt::format("{}: {} of its {} queries have no judgements and are left out",
                                 run.file, oddities.unjudged_queries, oddities.queries));
    }
    const Evaluation& evaluation = run.evaluation;
    if (evaluation.missing_queries > 0) {
        const bool zero = settings.evaluation.missing == MissingQueries::kZero;
        session.note(fmt::format(
            "{}: {} of {} judged queries are missing and {}", run.file, evaluation.missing_queries,
            evaluation.judged_queries,
            zero ? "count 0 (--missing skip leaves them out)" : "are left out (--missing skip)"));
    }
}

EvaluatedRun evaluate_file(const std::string& file, const JudgedPools& pools,
                           const EvalReport& report, Session& session) {
    const WarningSink warn = session.warnings();
    const Run read = read_run(file, {.warn = warn, .max_line = session.limits.line});
    const JudgedRun judged(pools, read, report.settings.ranking);
    EvaluatedRun run;
    run.file = file;
    run.tag = read.name();
    run.oddities = judged.oddities();
    run.evaluation = evaluate(judged, report.measures, report.settings.evaluation);
    for (std::size_t i = 0; i < judged.size(); ++i) run.in_run.push_back(judged.contains(i));
    if (!report.settings.html.empty() || report.settings.format == Format::kJson) {
        run.curve = precision_recall_curve(judged, report.settings.evaluation, kCurvePoints);
    }
    check_fit(run, read, report.judgements, report.settings.qrels.name(), warn);
    note_oddities(run, report.settings, session, warn);
    return run;
}

void compare_with_baseline(EvalReport& report) {
    std::vector<Evaluation> others;
    for (std::size_t r = 0; r < report.runs.size(); ++r) {
        if (r != report.baseline) others.push_back(report.runs[r].evaluation);
    }
    const ComparisonOptions options = {.test = report.settings.test, .seed = report.settings.seed};
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
        std::vector<Comparison> compared(others.size());
        if (is_quality(report.measures[m])) {
            compared = compare_runs(report.runs[report.baseline].evaluation, others, m, options);
        }
        for (std::size_t r = 0, o = 0; r < report.runs.size(); ++r) {
            if (r != report.baseline) report.runs[r].comparisons.push_back(compared[o++]);
        }
    }
}

// err needs to know the top of the scale; a grade above it would silently count as it.
void check_scale(const EvalReport& report, const JudgedPools& pools, const WarningSink& warn) {
    const bool has_err = std::any_of(report.measures.begin(), report.measures.end(),
                                     [](const std::string& m) { return m.starts_with("err"); });
    const Grade top = report.settings.evaluation.measure.highest_grade;
    for (std::size_t i = 0; has_err && i < pools.size(); ++i) {
        if (pools[i].grades.empty() || pools[i].grades.front() <= top) continue;
        warn(fmt::format(
            "{}: grade {} of query {} is above err's highest and counts as {}; see --highest-grade",
            report.settings.qrels.name(), pools[i].grades.front(), report.query_name(i), top));
        return;
    }
}

Json compared_json(const DraftComparison& comparison, const DraftVerdict& verdict) {
    return {{"rankings", comparison.rankings},
            {"sessions", verdict.sessions()},
            {"without_clicks", verdict.without_clicks},
            {"wins", verdict.wins},
            {"ties", verdict.ties},
            {"lead", verdict.lead()},
            {"p", verdict.p}};
}

std::string verdict_text(const DraftComparison& comparison, const DraftVerdict& verdict) {
    const std::size_t better = verdict.wins[0] >= verdict.wins[1] ? 0 : 1;
    if (verdict.p >= kDecided) {
        return format_line(
            "no difference shown between {} and {} (sign test, p {:.4f}): more sessions may",
            comparison.rankings[0], comparison.rankings[1], verdict.p);
    }
    return format_line("users prefer {} to {} (sign test, p {:.4f})", comparison.rankings[better],
                       comparison.rankings[1 - better], verdict.p);
}

int run_interleaved(const EvalSettings& settings, Session& session) {
    const std::vector<DraftComparison> comparisons = read_draft_log(
        Input(settings.interleaved), {.warn = session.warnings(), .max_line = session.limits.line});
    if (comparisons.empty()) {
        throw Error(settings.interleaved + ": has no session, expected interleaved searches");
    }
    Json json = Json::array();
    for (const DraftComparison& comparison : comparisons) {
        const DraftVerdict verdict = judge_drafts(comparison.clicked);
        json.push_back(compared_json(comparison, verdict));
        if (settings.format == Format::kJson) continue;
        TextTable table(1);
        table.row({"ranking", "wins", "share of sessions with clicks"});
        const std::size_t clicked = verdict.sessions() - verdict.without_clicks;
        const auto share = [&](std::size_t count) {
            return clicked == 0 ? "-"
                                : fmt::format("{:.1f} %", 100.0 * static_cast<double>(count) /
                                                              static_cast<double>(clicked));
        };
        for (std::size_t team = 0; team < 2; ++team) {
            table.row({comparison.rankings[team], std::to_string(verdict.wins[team]),
                       share(verdict.wins[team])});
        }
        table.row({"neither", std::to_string(verdict.ties), share(verdict.ties)});
        print_text(table.text());
        print_formatted("{} sessions, {} without a click\n", verdict.sessions(),
                        verdict.without_clicks);
        print_text(verdict_text(comparison, verdict) + "\n");
    }
    if (settings.format == Format::kJson) print_json(json, 2);
    return kDone;
}

int run_eval(const EvalSettings& settings, Session& session) {
    if (!settings.interleaved.empty()) return run_interleaved(settings, session);
    const Judgements judgements = read_judgements(settings.qrels, session);
    const JudgedPools pools(judgements);
    EvalReport report(settings, judgements);
    report.measures = full_names(settings);
    report.test_title = paired_tests().find(settings.test).title;
    for (std::size_t i = 0; i < pools.size(); ++i) {
        report.relevant += pools[i].count_from(settings.evaluation.measure.relevant_from);
    }
    check_scale(report, pools, session.warnings());
    const std::vector<std::string> files = run_files(settings);
    const std::vector<std::string> labels = short_labels(files);
    for (std::size_t i = 0; i < files.size(); ++i) {
        report.runs.push_back(evaluate_file(files[i], pools, report, session));
        report.runs.back().label = labels[i];
        if (files[i] == settings.baseline) report.baseline = i;
    }
    const bool shows_differences = settings.format != Format::kTrec || !settings.html.empty();
    if (report.compares() && shows_differences) compare_with_baseline(report);
    if (settings.format == Format::kText) print_text(report);
    if (settings.format == Format::kTrec) print_trec(report);
    if (settings.format == Format::kJson) print_json(report);
    if (!settings.html.empty()) {
        write_html(report);
        session.note("report written to " + settings.html);
    }
    return kDone;
}

// What the options mean together. An option that would change nothing is an error.
void check_settings(const CLI::App& command, EvalSettings& settings) {
    const auto refuse = [](const std::string& message) { throw CLI::ValidationError(message); };
    if (!settings.interleaved.empty()) {
        for (const CLI::Option* option : command.get_options()) {
            const std::string& name = option->get_name();
            const bool fits = name == "--interleaved" || name == "--json" || name == "--limit" ||
                              name == "--quiet" || name == "--strict" || name == "--help";
            if (option->count() > 0 && !fits) {
                refuse(name + " can't be given with --interleaved, which clicks judge");
            }
        }
        return;
    }
    if (settings.runs.empty()) throw CLI::RequiredError("RUN or --interleaved");
    if (settings.qrels.paths.empty()) throw CLI::RequiredError("--qrels");
    const bool compares = run_files(settings).size() > 1;
    const bool trec = settings.format == Format::kTrec;
    for (const char* option : {"--test", "--seed", "--baseline"}) {
        if (command.count(option) == 0) continue;
        if (!compares) refuse(fmt::format("{} needs a second run to compare with", option));
        if (trec && settings.html.empty()) {
            refuse(fmt::format("{} has no effect with --format trec", option));
        }
    }
    if (command.count("--seed") > 0 && settings.test != "randomisation") {
        refuse("--seed is for --test randomisation");
    }
    if (std::set<std::string>(settings.runs.begin(), settings.runs.end()).size() !=
        settings.runs.size()) {
        refuse("a run is named twice");
    }
    try {
        if (settings.measures.empty()) settings.measures = usual_measures(settings.format);
        full_names(settings);
        check_query_files({}, settings.qrels);
    } catch (const Error& error) {
        refuse(error.what());
    }
}

void add_input_options(CLI::App& command, EvalSettings& settings) {
    command.add_option("RUN", settings.runs, "TREC runs, gzipped or not; - is standard input");
    const OptionGroup group(command, "Input");
    add_value(command, "--interleaved", settings.interleaved, "LOG",
              "Compare two rankings by clicks in a log of `braid search --interleave`, "
              "instead of runs");
    add_judgement_input(command, settings.qrels);
    add_id_prefix(command, settings.qrels.prefixes, kPrefixHelp);
}

void add_measure_options(CLI::App& command, EvalSettings& settings) {
    const OptionGroup group(command, "Measures");
    EvaluationOptions& evaluation = settings.evaluation;
    // Without allow_extra_args a list would take the runs that follow it for measures.
    command
        .add_option("--measures", settings.measures,
                    "Measures, such as map,ndcg@10; `braid measures` lists them")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--rel", evaluation.measure.relevant_from, "Lowest relevant grade")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command
        .add_option("--highest-grade", evaluation.measure.highest_grade,
                    "Highest possible grade, for err")
        ->check(CLI::Range(1, 30))
        ->capture_default_str();
    add_choice(command, "--missing", evaluation.missing,
               {{"zero", MissingQueries::kZero}, {"skip", MissingQueries::kSkip}},
               "Judged queries missing from a run: count 0 (zero) or are left out (skip) [zero]");
    command.add_flag("--skip-empty", evaluation.skip_empty,
                     "Leave out queries without relevant documents, which otherwise count 0");
    command.add_flag("--float-scores", settings.ranking.float_scores,
                     "Round scores to single precision before ranking, as trec_eval 9 does");
}

void add_comparison_options(CLI::App& command, EvalSettings& settings) {
    const OptionGroup group(command, "Comparison");
    command.add_option("--baseline", settings.baseline, "Baseline run [the first]");
    command.add_option("--test,--paired-test", settings.test, "Significance test")
        ->check(CLI::IsMember(paired_tests().names()))
        ->capture_default_str();
    command.add_option("--seed", settings.seed, "Seed of the randomisation test")
        ->capture_default_str();
}

void add_output_options(CLI::App& command, EvalSettings& settings, Session& session) {
    const OptionGroup group(command, "Output");
    command.add_flag("--per-query", settings.per_query, "Also print each query's values");
    CLI::Option* format = add_choice(command, "--format", settings.format,
                                     {{"text", Format::kText}, {"trec", Format::kTrec}},
                                     "Tables (text) or trec_eval's lines (trec) [text]");
    command
        .add_flag_callback(
            "--json", [&settings] { settings.format = Format::kJson; }, "Print JSON")
        ->excludes(format);
    command.add_option("--html", settings.html, "Write an HTML report to this file");
    add_message_flags(command, session);
}

}  // namespace

void add_eval(CLI::App& app, Session& session) {
    auto settings = std::make_shared<EvalSettings>();
    CLI::App* command =
        app.add_subcommand("eval", "Measure runs against judgements, and test whether they differ");
    command->footer(kEvalFooter);
    add_input_options(*command, *settings);
    add_measure_options(*command, *settings);
    add_comparison_options(*command, *settings);
    add_output_options(*command, *settings, session);
    add_limits(*command, session, {"line"});
    set_action(*command, session, settings, run_eval,
               [command](EvalSettings& given) { check_settings(*command, given); });
}

}  // namespace braid::cli
