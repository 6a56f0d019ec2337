// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>
#include <set>

#include <fmt/format.h>

#include "braid/cli/command.h"
#include "braid/cli/text_table.h"
#include "braid/core/error.h"
#include "braid/core/fusion/run_fusion.h"
#include "braid/core/learners/data/normalisers.h"
#include "braid/indexer/formats/run_reader.h"
#include "braid/indexer/formats/run_writer.h"

namespace braid::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  braid fuse bm25.run lsa.run > fused.run
  braid fuse --method combmnz --norm z-score bm25.run lsa.run lm.run > fused.run
  braid fuse --method rrf --set k=20 --depth 100 *.run | braid eval --qrels med.qrels -

A document that a run lacks gets nothing from it, and equal scores share the mean of their places.
docs/algorithms/fusion.md has the formulas.)";

struct FuseCommand {
    std::vector<std::string> files;
    FusionOptions fusion;
    std::vector<std::string> settings;  // "k=20"
    std::size_t depth = 0;
    std::size_t count = 1000;
    std::string name = "braid";
};

std::string footer() {
    TextTable table(3);
    for (const FusionInfo& method : fusion_methods()) {
        std::string settings;
        for (const ParameterInfo& parameter : method.parameters) {
            settings += fmt::format("{}{}={:g}", settings.empty() ? "" : " ", parameter.name,
                                    parameter.default_value);
        }
        for (const ChoiceInfo& choice : method.choices) {
            settings += fmt::format("{}{}={}", settings.empty() ? "" : " ", choice.name,
                                    fmt::join(choice.values, "|"));
        }
        table.row({"  " + method.name, settings, method.summary});
    }
    return "\nMethods, what --set changes, and their formulas:\n" + table.text() + kExamples;
}

// "k=20" is a parameter or a choice of the method; which one is for the method to say.
void take_setting(const std::string& text, FusionOptions& options) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        throw CLI::ValidationError("--set " + text + ": expected NAME=VALUE");
    }
    const std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    for (const ChoiceInfo& choice : fusion_methods().find(options.method).choices) {
        if (choice.name == name) {
            options.choices[name] = value;
            return;
        }
    }
    double number = 0;
    if (!CLI::detail::lexical_cast(value, number)) {
        throw CLI::ValidationError("--set " + text + ": expected a number");
    }
    options.parameters[name] = number;
}

// What the options mean together; an option that would change nothing is an error.
void check_command(FuseCommand& command) {
    const std::set<std::string> distinct(command.files.begin(), command.files.end());
    if (distinct.size() != command.files.size()) throw CLI::ValidationError("a run is named twice");
    if (command.files.size() < 2) {
        throw CLI::ValidationError("one run: there is nothing to fuse it with");
    }
    try {
        std::set<std::string> names;
        for (const std::string& text : command.settings) {
            take_setting(text, command.fusion);
            const std::string name = text.substr(0, text.find('='));
            if (!names.insert(name).second) {
                throw CLI::ValidationError("--set " + name + ": given twice");
            }
        }
        Fuser{command.fusion};
    } catch (const Error& error) {
        throw CLI::ValidationError(error.what());
    }
}

std::vector<Run> read_runs(const FuseCommand& command, Session& session) {
    std::vector<Run> runs(command.files.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
        runs[r] = read_run(command.files[r], {.warn = session.warnings()});
    }
    return runs;
}

// A run that shares no query with any other is of another collection, or names its queries in
// another way: nothing would be fused, and nothing would show it.
void check_fit(const FuseCommand& command, const std::vector<Run>& runs,
               const std::vector<RunQuery>& queries, const Session& session) {
    if (queries.empty()) throw Error("none of the runs has a document");
    for (std::size_t r = 0; r < runs.size(); ++r) {
        std::size_t shared = 0;
        for (const RunQuery& query : queries) {
            if (query.lists[r] == nullptr) continue;
            for (std::size_t other = 0; other < runs.size(); ++other) {
                if (other == r || query.lists[other] == nullptr) continue;
                ++shared;
                break;
            }
        }
        const std::size_t own = runs[r].queries().size();
        if (own > 0 && shared == 0) {
            throw Error(
                fmt::format("{}: none of its {} queries is in another run; its first is "
                            "'{}'",
                            command.files[r], own, runs[r].queries().front().query));
        }
        if (own > 0 && own < queries.size()) {
            session.note(fmt::format("{}: lacks {} of {} queries", command.files[r],
                                     queries.size() - own, queries.size()));
        }
    }
}

int run_fuse(const FuseCommand& command, Session& session) {
    const Fuser fuser(command.fusion);
    const std::vector<Run> runs = read_runs(command, session);
    const std::vector<RunQuery> queries = queries_of(runs);
    check_fit(command, runs, queries, session);
    const Progress progress = session.progress();
    std::string lines;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        QueryRun fused = fuse_lists(fuser, queries[i], command.depth);
        if (fused.documents.size() > command.count) fused.documents.resize(command.count);
        lines.clear();
        append_run(lines, fused, command.name);
        fmt::print("{}", lines);
        if (!progress({"fusing", i + 1, queries.size(), "queries", ""})) {
            throw Cancelled(fmt::format("stopped after {} of {} queries", i + 1, queries.size()));
        }
    }
    return kDone;
}

std::vector<std::string> usable_normalisers() {
    std::vector<std::string> names;
    for (const NormaliserInfo& info : normalisers()) {
        if (!info.needs_bounds) names.push_back(info.name);
    }
    return names;
}

}  // namespace

void add_fuse(CLI::App& app, Session& session) {
    auto options = std::make_shared<FuseCommand>();
    CLI::App* command = app.add_subcommand("fuse", "Make one run of several, without judgements");
    command->footer(footer());
    command->add_option("RUN", options->files, "TREC runs, gzipped or not; - is standard input")
        ->required();
    command->add_option("--method", options->fusion.method, "How")
        ->check(CLI::IsMember(fusion_methods().names()))
        ->capture_default_str();
    command
        ->add_option("--set", options->settings, "A parameter or choice of the method: NAME=VALUE")
        ->allow_extra_args(false);
    command
        ->add_option("--norm", options->fusion.normaliser,
                     "What makes scores comparable, for methods that add them; default: min-max")
        ->check(CLI::IsMember(usable_normalisers()));
    command
        ->add_option("--depth", options->depth,
                     "Documents of each list that count, its best first; default: all")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40));
    command->add_option("--count", options->count, "Documents printed for each query at most")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
        ->capture_default_str();
    command->add_option("--name", options->name, "The run's name, its last column")
        ->capture_default_str();
    command->add_flag("--quiet,-q", session.quiet,
                      "No progress and notes; warnings and errors stay");
    command->add_flag("--strict", session.strict, "A warning is an error");
    command->callback([&session, options, command] {
        check_nothing_empty(*command);
        check_command(*options);
        session.action = [options, &session] { return run_fuse(*options, session); };
    });
}

}  // namespace braid::cli
