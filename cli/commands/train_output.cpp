// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/cli/options/train_setup.h"
#include "braid/cli/output/output.h"
#include "braid/cli/output/text_table.h"
#include "braid/cli/report/train_report.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/model/model_function.h"
#include "braid/error.h"
#include "braid/indexer/formats/runs.h"

namespace braid::cli {
namespace {

using Json = nlohmann::ordered_json;

Json in_json(const BaselineComparison& baseline) {
    return {{"name", baseline.name},
            {"mean", baseline.mean},
            {"difference", baseline.difference},
            {"interval", {finite_json(baseline.interval.low), finite_json(baseline.interval.high)}},
            {"better", baseline.better},
            {"worse", baseline.worse},
            {"p", baseline.p},
            {"p_adjusted", baseline.p_adjusted}};
}

Json in_json(const ReferenceComparison& references) {
    Json rankings = Json::array();
    for (const BaselineComparison& ranking : references.rankings) {
        rankings.push_back(in_json(ranking));
    }
    return {{"rankings", std::move(rankings)},
            {"best", references.rankings[references.best].name},
            {"queries", references.queries},
            {"better", references.better},
            {"queries_needed", references.queries_needed},
            {"detectable", references.detectable}};
}

Json in_json(const FoldResult& fold) {
    return {{"seed", fold.seed},
            {"fold", fold.fold + 1},
            {"training_queries", fold.train_queries},
            {"test_queries", fold.test_queries},
            {"training", fold.train},
            {"test", fold.test},
            {"iterations", fold.iterations},
            {"stop_reason", fold.stop_reason}};
}

Json rankers_in_json(const TrainReport& report) {
    const FusionModel& model = report.trained.model;
    const RankingFunction function = model_function(model);
    const std::vector<double>* weights = fixed_weights(function);
    Json list = Json::array();
    for (std::size_t k = 0; k < model.rankers.size(); ++k) {
        Json ranker = {{"name", model.rankers[k].label()}};
        if (weights != nullptr) {
            ranker["weight"] = (*weights)[k];
            ranker["share"] = report.shares[k];
        }
        list.push_back(std::move(ranker));
    }
    return list;
}

Json learning_in_json(const ModelProvenance& provenance) {
    const LearningRecord& learning = provenance.learning;
    Json curve = Json::array();
    for (const CurvePoint& point : learning.curve) {
        Json entry = {{"iteration", point.iteration}, {"objective", finite_json(point.objective)}};
        if (point.validation) entry["validation"] = *point.validation;
        curve.push_back(std::move(entry));
    }
    return {{"queries", learning.queries},
            {"documents", learning.documents},
            {"judgements", learning.judgements},
            {"objective_name", learning.objective_name},
            {"objective", finite_json(learning.objective)},
            {"iterations", learning.iterations},
            {"stop_reason", learning.stop_reason},
            {"curve", std::move(curve)}};
}

}  // namespace

void print_json(const TrainReport& report) {
    const FusionModel& model = report.trained.model;
    const ModelProvenance& provenance = model.provenance;
    Json out = {{"learner", provenance.learner},
                {"options", provenance.options},
                {"seed", provenance.seed},
                {"measure", report.measures[0]},
                {"normaliser", model.normaliser.normaliser},
                {"form", model.function.form},
                {"rankers", rankers_in_json(report)},
                {"learning", learning_in_json(provenance)},
                {"training", provenance.learning.measures}};
    if (!provenance.learning.validation.empty()) {
        out["validation"] = provenance.learning.validation;
    }
    if (!provenance.measures.empty()) out["test"] = provenance.measures;
    if (report.folds) {
        out["folds"] = Json::array();
        for (const FoldResult& fold : report.folds->folds) out["folds"].push_back(in_json(fold));
    }
    if (report.one_pass) out["one_pass"] = in_json(*report.one_pass);
    if (report.references) out["references"] = in_json(*report.references);
    if (!report.baselines.empty()) {
        out["baselines"] = Json::array();
        for (const auto& baseline : report.baselines) out["baselines"].push_back(in_json(baseline));
    }
    if (report.calibration) out["calibration"] = calibration_json(*report.calibration);
    if (report.oracle) out["oracle"] = report.oracle_mean;
    if (report.now > 0) out["now"] = report.now;
    out["warnings"] = report.trained.result.warnings;
    if (!report.command.model.empty()) out["model"] = report.command.model;
    print_json(out, 2);
}

namespace {

constexpr std::size_t kBaselinesShown = 8;

std::string p_value(double p) { return p < 0.0001 ? "<.0001" : fmt::format("{:.4f}", p); }

void print_learning(const TrainReport& report) {
    const LearningRecord& learning = report.trained.model.provenance.learning;
    print_formatted(
        "{} learned from {} queries ({} can tell weights apart), {} documents, {} rankers\n",
        report.command.job.learner, learning.queries, report.counts.useful_queries,
        learning.documents, report.trained.model.rankers.size());
    std::string how =
        fmt::format("{} after {} iterations", learning.stop_reason, learning.iterations);
    if (!learning.objective_name.empty()) {
        how += fmt::format("; {} {}", learning.objective_name, four_places(learning.objective));
    }
    print_formatted("{}\n\n", how);
}

void print_means(const TrainReport& report) {
    const ModelProvenance& provenance = report.trained.model.provenance;
    const LearningRecord& learning = provenance.learning;
    if (learning.measures.empty()) {
        print_formatted("no judgements, so no measures\n");
        return;
    }
    TextTable table(1);
    std::vector<std::string> head = {"measure", "training"};
    if (!learning.validation.empty()) head.push_back("validation");
    if (!provenance.measures.empty()) head.push_back(report.folds ? "folds" : "test");
    table.row(head);
    for (const std::string& measure : report.measures) {
        std::vector<std::string> row = {measure, four_places(learning.measures.at(measure))};
        if (!learning.validation.empty())
            row.push_back(four_places(learning.validation.at(measure)));
        if (!provenance.measures.empty())
            row.push_back(four_places(provenance.measures.at(measure)));
        table.row(row);
    }
    print_text(table.text());
    if (report.oracle) {
        print_formatted("best weights for each query of {} alone: {} {} (weights from 0 up)\n",
                        report.command.test.empty() ? "those learned from" : "the test file",
                        report.measures[0], four_places(report.oracle_mean));
    }
}

void print_folds(const CrossValidation& folds) {
    TextTable table(0);
    table.row({"seed", "fold", "queries", "training", "test"});
    for (const FoldResult& fold : folds.folds) {
        table.row({std::to_string(fold.seed), std::to_string(fold.fold + 1),
                   std::to_string(fold.test_queries), four_places(fold.train),
                   four_places(fold.test)});
    }
    print_text("\n" + table.text());
}

std::vector<std::string> comparison_head(const TrainReport& report, const char* against) {
    return {against, report.measures[0], "learned is", "95 % interval", "better", "worse",
            "p",     "adjusted p"};
}

std::vector<std::string> comparison_row(const BaselineComparison& baseline) {
    const bool has_interval = std::isfinite(baseline.interval.low);
    return {baseline.name,
            four_places(baseline.mean),
            signed_four_places(baseline.difference),
            has_interval ? fmt::format("{} .. {}", signed_four_places(baseline.interval.low),
                                       signed_four_places(baseline.interval.high))
                         : "-",
            std::to_string(baseline.better),
            std::to_string(baseline.worse),
            p_value(baseline.p),
            p_value(baseline.p_adjusted)};
}

// What the database has without learning, which decides about --install.
void print_references(const TrainReport& report) {
    TextTable table(1);
    table.row(comparison_head(report, "to beat"));
    for (const BaselineComparison& ranking : report.references->rankings) {
        table.row(comparison_row(ranking));
    }
    print_text(table.text());
    if (!report.unmeasured.empty())
        print_formatted("the current ranking is not measured: {}\n", report.unmeasured);
    print_text("\n");
}

// Uniform weights, and the best of the single rankers.
void print_baselines(const TrainReport& report) {
    std::vector<BaselineComparison> shown = report.baselines;
    std::stable_sort(shown.begin() + 1, shown.end(),
                     [](const auto& a, const auto& b) { return a.mean > b.mean; });
    const std::size_t rest = shown.size() > kBaselinesShown ? shown.size() - kBaselinesShown : 0;
    shown.resize(shown.size() - rest);
    TextTable table(1);
    table.row(comparison_head(report, "against"));
    for (const BaselineComparison& baseline : shown) table.row(comparison_row(baseline));
    print_text("\n" + table.text());
    if (rest > 0) print_formatted("and {} worse rankers (--json has them)\n", rest);
    print_formatted("{}, adjusted for {} comparisons (Holm)\n",
                    paired_tests().find(report.command.folding.baselines.test).title,
                    report.baselines.size());
}

// What programs get that make one pass.
void print_one_pass(const TrainReport& report) {
    const auto alone = one_pass_form(report.trained.model);
    if (!alone) {
        if (!report.command.from_database()) return;
        print_text("it has no form for one pass: Ranking refuses it, `braid with` keeps BM25\n");
        return;
    }
    TextTable table(1);
    table.row({"ranker", "weight in one pass"});
    for (const RankerSpec& spec : alone->rankers) {
        table.row({spec.label(), fmt::format("{:.6g}", spec.weight)});
    }
    print_text("\n" + table.text());
    if (!report.one_pass) return;
    const BaselineComparison& pass = *report.one_pass;
    print_formatted(
        "these weights alone, by which Ranking and `braid with` rank in one pass: {} {}; the "
        "second pass gains {} (p {})\n",
        report.measures[0], four_places(pass.mean), signed_four_places(pass.difference),
        p_value(pass.p));
}

void print_weights(const TrainReport& report) {
    const FusionModel& model = report.trained.model;
    const RankingFunction function = model_function(model);
    const std::vector<double>* weights = fixed_weights(function);
    if (weights == nullptr) {
        print_formatted("\nthe model is of the form {}\n", model.function.form);
        print_one_pass(report);
        return;
    }
    TextTable table(1);
    table.row({"ranker", "weight", "share of the score"});
    for (std::size_t k = 0; k < model.rankers.size(); ++k) {
        table.row({model.rankers[k].label(), fmt::format("{:.6g}", (*weights)[k]),
                   fmt::format("{:.1f} %", 100 * report.shares[k])});
    }
    print_text("\n" + table.text());
}

}  // namespace

std::string why_not_install(const TrainReport& report) {
    if (!report.unmeasured.empty()) {
        return "the current ranking could not be measured, since " + report.unmeasured +
               "; --force installs without";
    }
    if (!report.references) {
        return "nothing was measured on queries that it wasn't learned from; --force installs "
               "without";
    }
    const ReferenceComparison& found = *report.references;
    if (found.better) return "";
    const BaselineComparison& best = found.rankings[found.best];
    const std::string measure = report.measures[0];
    const std::string takes =
        best.difference > 0
            ? fmt::format("such a gain takes about {} judged queries to show", found.queries_needed)
            : fmt::format("these queries would show a gain of {}", four_places(found.detectable));
    return fmt::format(
        "{} with {} {} is the best without it, and the learned ranking differs by {} (p {}, {} "
        "judged queries), expected a gain with p below {:g}; {}; --force installs it all the same",
        best.name, measure, four_places(best.mean), signed_four_places(best.difference),
        p_value(best.p), found.queries, kInstallLevel, takes);
}

void print_text(const TrainReport& report) {
    print_learning(report);
    if (report.references) print_references(report);
    print_means(report);
    if (report.folds) print_folds(*report.folds);
    if (!report.baselines.empty()) print_baselines(report);
    print_weights(report);
    if (report.calibration) print_text("\n" + calibration_text(*report.calibration));
    if (report.findings && report.findings->adaptive) {
        print_formatted("\n{}\n", adaptive_verdict(*report.findings));
    }
}

namespace {

// Adds the queries of a prepared set, ranked by the function.
void append_queries(std::string& text, const TrainingSet& set, const RankingFunction& function,
                    const std::string& name) {
    std::vector<double> scores;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        scores.resize(set.pool_size(q));
        score_pool(function, set, q, scores);
        QueryRun run{set.queries[q], {}};
        for (std::size_t d = 0; d < scores.size(); ++d) {
            run.documents.push_back({set.documents[set.query_begin[q] + d], scores[d]});
        }
        rank_documents(run.documents);
        append_run(text, run, name);
    }
}

std::string judgements_of(const TrainingSet& set) {
    std::string text;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            if (set.grades[i] == kUnjudged) continue;
            text += fmt::format("{}\t0\t{}\t{}\n", set.queries[q], set.documents[i], set.grades[i]);
        }
    }
    return text;
}

}  // namespace

std::map<std::string, std::string> held_out_runs(const TrainReport& report,
                                                 const TrainInput& input) {
    const TrainCommand& command = report.command;
    if (command.runs.empty()) return {};
    const std::string& learner = command.job.learner;
    const TrainingSet& set = input.test ? *input.test : input.train;
    if (set.documents.empty()) {
        throw Error("--runs: documents have no names, expected \"# docid = NAME\" in every row");
    }
    std::map<std::string, std::string> runs;
    if (report.folds) {
        for (const FoldResult& fold : report.folds->folds) {
            const bool is_one = command.folding.seeds.size() == 1;
            const std::string name = is_one ? learner : fmt::format("{}-{}", learner, fold.seed);
            append_queries(runs[name + ".run"],
                           prepared_set(subset(set, fold.queries), fold.preparation), fold.function,
                           name);
        }
    } else {
        append_queries(runs[learner + ".run"], prepared_set(set, report.trained.preparation),
                       report.trained.result.function, learner);
    }
    if (!command.from_database()) runs["judgements.qrels"] = judgements_of(set);
    return runs;
}

void check_runs_writable(const TrainCommand& command) {
    if (command.runs.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directory(command.runs, ignored);
    if (std::filesystem::is_directory(command.runs, ignored)) return;
    throw Error(command.runs + ": is no folder, expected one that runs can go into");
}

}  // namespace braid::cli
