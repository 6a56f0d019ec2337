// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctime>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "braid/cli/options/command.h"
#include "braid/cli/options/topic_options.h"
#include "braid/cli/output/output.h"
#include "braid/cli/output/text_table.h"
#include "braid/core/eval/measure.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/learner_checks.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/pool/normalisers.h"
#include "braid/database.h"
#include "braid/features.h"
#include "braid/plugin/database/followed_databases.h"

namespace braid::cli {
namespace {

std::string written(const MeasureInfo& info) {
    switch (info.cutoff) {
        case MeasureInfo::Cutoff::kNone:
            return info.name;
        case MeasureInfo::Cutoff::kOptional:
            return info.name + "[@k]";
        case MeasureInfo::Cutoff::kRequired:
            break;
    }
    return info.name + "@k";
}

int print_measures(bool as_json) {
    if (!as_json) {
        TextTable table(2);
        for (const MeasureInfo& info : measures()) table.row({written(info), info.summary});
        print_text(table.text());
        return kDone;
    }
    auto list = nlohmann::ordered_json::array();
    for (const MeasureInfo& info : measures()) {
        const char* cutoff = info.cutoff == MeasureInfo::Cutoff::kNone       ? "none"
                             : info.cutoff == MeasureInfo::Cutoff::kOptional ? "optional"
                                                                             : "required";
        list.push_back({{"name", info.name},
                        {"cutoff", cutoff},
                        {"also", info.also},
                        {"summary", info.summary}});
    }
    print_json(list, 2);
    return kDone;
}

std::string written(const ModelRanker& info) {
    std::string parameters;
    for (const ParameterInfo& parameter : info.parameters) {
        parameters += fmt::format("{}{}={:g}", parameters.empty() ? "" : " ", parameter.name,
                                  parameter.default_value);
    }
    return parameters;
}

int print_rankers(bool as_json) {
    if (!as_json) {
        TextTable table(3);
        for (const ModelRanker& info : model_rankers()) {
            table.row({info.name, written(info), info.summary});
        }
        print_text(table.text());
        return kDone;
    }
    auto list = nlohmann::ordered_json::array();
    for (const ModelRanker& info : model_rankers()) {
        auto parameters = nlohmann::ordered_json::array();
        for (const ParameterInfo& parameter : info.parameters) {
            parameters.push_back({{"name", parameter.name},
                                  {"default", parameter.default_value},
                                  {"minimum", parameter.minimum},
                                  {"maximum", parameter.maximum},
                                  {"summary", parameter.summary}});
        }
        list.push_back({{"name", info.name},
                        {"summary", info.summary},
                        {"formula", info.formula},
                        {"parameters", std::move(parameters)}});
    }
    print_json(list, 2);
    return kDone;
}

using Json = nlohmann::ordered_json;

Json parameters_in_json(const std::vector<ParameterInfo>& infos) {
    Json list = Json::array();
    for (const ParameterInfo& info : infos) {
        list.push_back({{"name", info.name},
                        {"default", info.default_value},
                        {"minimum", info.minimum},
                        {"maximum", info.maximum},
                        {"whole", info.is_whole},
                        {"summary", info.summary}});
        if (!info.only_with.empty()) list.back()["only_with"] = info.only_with;
    }
    return list;
}

struct GradeWords {
    const char* word;  // As --json says it.
    const char* sentence;
};

GradeWords words_of(GradeUse use) {
    constexpr GradeWords kWords[] = {
        {"none", "reads no grades"},
        {"relevance", "reads which documents are relevant (--rel)"},
        {"measure", "reads grades as --measure does"},
        {"grades", "reads grades"},
    };
    static_assert(std::size(kWords) == static_cast<std::size_t>(GradeUse::kGrades) + 1);
    return kWords[static_cast<std::size_t>(use)];
}

// Whether under some choices a database is ranked in one pass by what it learns.
bool takes_one_pass(const LearnerInfo& info) {
    ChoiceMap best = resolve_choices(info.name, info.choices, {});
    const std::size_t sign = info.non_negative_with.find('=');
    if (sign != std::string::npos) {
        best[info.non_negative_with.substr(0, sign)] = info.non_negative_with.substr(sign + 1);
    }
    return why_second_pass(info, best, {}).empty();
}

// "; embedding=query does without" where there is such a choice.
std::string but_with(const std::string& choice, const std::string& what) {
    return choice.empty() ? "" : fmt::format(" ({}: {})", choice, what);
}

// What it reads and what it gives.
void print_abilities(const LearnerInfo& info) {
    print_formatted("{}, {}{}\n",
                    info.needs_judgements ? "needs judgements" : "needs no judgements",
                    words_of(info.grades).sentence,
                    info.aims_at_measure ? ", optimises --measure directly" : "");
    if (!info.measures.empty()) {
        print_formatted("measures it can optimise: {}\n", fmt::join(info.measures, ", "));
    }
    if (info.needs_query_features) {
        print_formatted(
            "needs query features{}: from the database, or for a file the statistics of each "
            "query's list\n",
            but_with(info.featureless_with, "does not"));
    }
    print_formatted("learns the form {}{}; {}\n", fmt::join(info.forms, " or "),
                    info.may_weigh_negatively
                        ? ", weights may be negative" + but_with(info.non_negative_with, "never")
                        : "",
                    takes_one_pass(info) ? "a search ranks by it in one pass"
                                         : "a search scores by it in a second pass");
    print_formatted("normaliser with --db: {}{}\n", info.normaliser,
                    info.takes_scales ? "" : "; can't take scale");
    print_formatted("{}\n",
                    info.resumable ? "can continue a model (--continue)" : "always learns anew");
}

std::string range_of(const ParameterInfo& info) {
    return fmt::format("{:g} to {:g}{}", info.minimum, info.maximum,
                       info.is_whole ? ", whole" : "");
}

Json learner_in_json(const LearnerInfo& info) {
    Json choices = Json::array();
    for (const ChoiceInfo& choice : info.choices) {
        choices.push_back({{"name", choice.name},
                           {"default", choice.default_value},
                           {"values", choice.values},
                           {"summary", choice.summary}});
    }
    return {{"name", info.name},
            {"summary", info.summary},
            {"source", info.source},
            {"needs_judgements", info.needs_judgements},
            {"needs_query_features", info.needs_query_features},
            {"grades", words_of(info.grades).word},
            {"aims_at_measure", info.aims_at_measure},
            {"measures", info.measures},
            {"resumable", info.resumable},
            {"forms", info.forms},
            {"negative_weights", info.may_weigh_negatively},
            {"takes_scales", info.takes_scales},
            {"normaliser", info.normaliser},
            {"one_pass", takes_one_pass(info)},
            {"parameters", parameters_in_json(info.parameters)},
            {"choices", std::move(choices)}};
}

// The learner and every `-p` it takes.
void print_learner(const LearnerInfo& info) {
    print_formatted("{}: {}\n", info.name, info.summary);
    if (!info.source.empty()) print_formatted("source: {}\n", info.source);
    print_abilities(info);
    TextTable table(4);
    if (!info.parameters.empty() || !info.choices.empty()) {
        table.row({"parameter", "default", "values", "meaning"});
    }
    for (const ParameterInfo& parameter : info.parameters) {
        table.row(
            {parameter.name, fmt::format("{:g}", parameter.default_value), range_of(parameter),
             parameter.summary +
                 (parameter.only_with.empty() ? "" : "; with " + parameter.only_with + " only")});
    }
    for (const ChoiceInfo& choice : info.choices) {
        std::string values;
        for (const std::string& value : choice.values) {
            values += (values.empty() ? "" : ", ") + value;
        }
        table.row({choice.name, choice.default_value, values, choice.summary});
    }
    const std::string text = table.text();
    if (!text.empty()) print_text("\n" + text);
}

int print_learners(const std::string& name, bool as_json) {
    if (!name.empty()) {
        const LearnerInfo& info = learners().find(name);
        if (as_json) {
            print_json(learner_in_json(info), 2);
        } else {
            print_learner(info);
        }
        return kDone;
    }
    if (as_json) {
        Json list = Json::array();
        for (const LearnerInfo& info : learners()) list.push_back(learner_in_json(info));
        print_json(list, 2);
        return kDone;
    }
    TextTable table(2);
    for (const LearnerInfo& info : learners()) table.row({info.name, info.summary});
    print_text(table.text());
    return kDone;
}

int print_normalisers(bool as_json) {
    Json list = Json::array();
    TextTable table(3);
    for (const NormaliserInfo& info : normalisers()) {
        std::string parameters;
        for (const ParameterInfo& parameter : info.parameters) {
            parameters += fmt::format("{}{}={:g}", parameters.empty() ? "" : " ", parameter.name,
                                      parameter.default_value);
        }
        table.row({info.name, parameters, info.summary});
        list.push_back({{"name", info.name},
                        {"summary", info.summary},
                        {"per_document", info.per_document},
                        {"needs_bounds", info.needs_bounds},
                        {"of_positions", info.of_positions},
                        {"parameters", parameters_in_json(info.parameters)}});
    }
    if (as_json) {
        print_json(list, 2);
    } else {
        print_text(table.text());
    }
    return kDone;
}

// A command that prints a registry, as text or as JSON.
struct ListCommand {
    const char* name;
    const char* summary;
    const char* footer;
    const char* json;  ///< Help of --json.
    int (*print)(bool as_json);
};

constexpr ListCommand kLists[] = {
    {"normalisers", "List the normalisers of `braid train`",
     "docs/algorithms/normalisers.md has the details.\n\nExample:\n  braid normalisers",
     "Print JSON, with ranges", print_normalisers},
    {"measures", "List the measures of `braid eval`", "Example:\n  braid measures", "Print JSON",
     print_measures},
    {"rankers", "List the rankers for fusion models",
     "Each line has a ranker, its parameters with defaults, and a description. docs/algorithms/ "
     "has the formulas.\n\nExample:\n  braid rankers",
     "Print JSON, with ranges and formulas", print_rankers},
};

struct LearnersCommand {
    std::string name;
    bool json = false;
};

int run_learners(const LearnersCommand& command, const Session&) {
    return print_learners(command.name, command.json);
}

}  // namespace

void add_lists(CLI::App& app, Session& session) {
    const auto learners = std::make_shared<LearnersCommand>();
    CLI::App* sub =
        app.add_subcommand("learners", "List the learners of `braid train`, with parameters");
    sub->footer("Examples:\n  braid learners\n  braid learners genm-bat");
    add_value(*sub, "NAME", learners->name, "LEARNER", "Show this learner with all parameters");
    sub->add_flag("--json", learners->json, "Print JSON, with parameters");
    set_action(*sub, session, learners, run_learners,
               [sub](const LearnersCommand&) { check_nothing_empty(*sub); });
    for (const ListCommand& list : kLists) {
        const auto as_json = std::make_shared<bool>(false);
        sub = app.add_subcommand(list.name, list.summary);
        sub->footer(list.footer);
        sub->add_flag("--json", *as_json, list.json);
        set_action(*sub, session, as_json,
                   [&list](bool json, const Session&) { return list.print(json); });
    }
}

namespace {

struct ModelsCommand {
    std::vector<std::string> databases;
    std::vector<std::string> sidecars;
    bool undo = false;
    bool json = false;

    const std::vector<std::string>& places() const {
        return sidecars.empty() ? databases : sidecars;
    }
};

std::string day_of(const InstalledModel& one) {
    if (one.time == 0) return "at an unknown time";
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(one.time)));
}

std::string figures_of(const InstalledModel& one) {
    if (one.figures.empty()) return "nothing was measured";
    const bool learned = !one.model.provenance.learner.empty();
    std::string text = fmt::format("{} {:.4f} on {} {}", one.measure, one.figures[0].mean,
                                   one.queries, learned ? "judged queries" : "searches");
    for (std::size_t i = 1; i < one.figures.size(); ++i) {
        const InstallFigure& figure = one.figures[i];
        text += fmt::format(", {} {:.4f} (p {:.4f})", figure.name, figure.mean, figure.p);
    }
    return text;
}

Json installed_in_json(const InstalledModel& one, bool ranks) {
    Json figures = Json::array();
    for (const InstallFigure& figure : one.figures) {
        figures.push_back({{"name", figure.name}, {"mean", figure.mean}, {"p", figure.p}});
    }
    return {{"time", one.time},
            {"by", one.by},
            {"note", one.note},
            {"learner", one.model.provenance.learner},
            {"ranking", in_words(one.model)},
            {"measure", one.measure},
            {"queries", one.queries},
            {"figures", std::move(figures)},
            {"ranks", ranks}};
}

InstalledModels installed_in(const ModelsCommand& command) {
    return read_databases({command.databases, command.sidecars}, "attempts to read its models",
                          [](const OpenedDatabases& opened) {
                              return load_installed_models(
                                  opened.sidecars.empty() ? opened.database : opened.sidecars[0]);
                          });
}

void print_installed(const InstalledModels& installed) {
    for (std::size_t i = installed.list.size(); i-- > 0;) {
        const InstalledModel& one = installed.list[i];
        const bool ranks = installed.ranks && i + 1 == installed.list.size();
        std::string how = one.by;
        const std::string& learner = one.model.provenance.learner;
        if (!learner.empty())
            how += fmt::format("{}learned by {}", how.empty() ? "" : ", ", learner);
        if (!one.note.empty()) how += (how.empty() ? "" : ", ") + one.note;
        print_formatted("{}  {}{}\n   {}\n   {}\n", day_of(one), how,
                        ranks ? "  (ranks today)" : "", in_words(one.model), figures_of(one));
    }
    print_formatted("{}  bm25, which ranks a database without a model{}\n",
                    installed.list.empty() ? "nothing was installed" : "before that",
                    installed.ranks ? "" : "  (ranks today)");
}

int run_models(const ModelsCommand& command, const Session& session) {
    if (command.undo) {
        const auto now = undo_install(command.places());
        session.note("searches now rank by " + (now ? in_words(now->model) : "bm25") +
                     (now ? ", installed " + day_of(*now) : ""));
    }
    const InstalledModels installed = installed_in(command);
    if (!command.json) {
        print_installed(installed);
        return kDone;
    }
    Json list = Json::array();
    for (std::size_t i = installed.list.size(); i-- > 0;) {
        list.push_back(installed_in_json(installed.list[i],
                                         installed.ranks && i + 1 == installed.list.size()));
    }
    print_json(list, 2);
    return kDone;
}

}  // namespace

void add_models(CLI::App& app, Session& session) {
    const auto command = std::make_shared<ModelsCommand>();
    CLI::App* sub = app.add_subcommand(
        "models", "List the models installed in a database, or undo the last installation");
    sub->footer(
        "Lists the latest model first: its time, the command that installed it, its rankers, and "
        "the means that `braid train --install` measured.\n\nExamples:\n  braid models --db DB\n  "
        "braid models --db DB --undo");
    add_values(*sub, "--db", command->databases, "DB",
               "Database folder; repeat for shards that are searched as one")
        ->required();
    add_values(*sub, "--sidecar", command->sidecars, "DIR",
               "Sidecar folder, if it holds the models");
    sub->add_flag(
        "--undo", command->undo,
        "Go back to the ranking before the last installation, and drop that from the list");
    sub->add_flag("--json", command->json, "Print JSON");
    sub->add_flag("--quiet,-q", session.quiet, "Hide notes");
    set_action(*sub, session, command, run_models);
}

}  // namespace braid::cli
