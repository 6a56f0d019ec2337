// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/fuse.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "braid/cli/options/command.h"
#include "braid/cli/options/fusion_input.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/options/query_vectors.h"
#include "braid/cli/output/output.h"
#include "braid/error.h"
#include "braid/indexer/formats/runs.h"
#include "braid/indexer/formats/vector_reader.h"

namespace braid::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  braid fuse bm25.run lsa.run > fused.run
  braid fuse --method combmnz --norm z-score bm25.run lsa.run lm.run > fused.run
  braid fuse --method amanx --vectors documents.jsonl bm25.run lsa.run > fused.run
  braid fuse --method rrf --set k=20 --depth 100 *.run | braid eval --qrels med.qrels -

A document missing from a run gets nothing from it; equal scores share the mean of their ranks.
docs/algorithms/fusion.md has the formulas.)";

constexpr const char* kGraph = "graph";
constexpr const char* kFeatures = "features";

struct FuseCommand {
    std::vector<std::string> files;
    FusionInput input{.method = "rrf"};
    FusionOptions fusion;
    std::size_t depth = 0;
    std::size_t count = 1000;
    std::string name = "braid";
    std::string vectors;     // A file with those of documents.
    std::string vector_ids;  // Whose they are, where that file doesn't say.
};

// Vectors that nothing would read, and a graph of vectors that nobody gave.
void check_graph(const FuseCommand& command) {
    const auto graph = command.fusion.choices.find(kGraph);
    const bool by_vectors = graph != command.fusion.choices.end() && graph->second == kFeatures;
    if (by_vectors && command.vectors.empty()) {
        throw CLI::ValidationError("--set graph=features needs --vectors, the documents' vectors");
    }
    if (!by_vectors && !command.vectors.empty()) {
        throw CLI::ValidationError("--vectors: graph=scores reads none, expected graph=features");
    }
}

// What the options mean together; an option that would change nothing is an error.
void check_command(FuseCommand& command) {
    const std::set<std::string> distinct(command.files.begin(), command.files.end());
    if (distinct.size() != command.files.size()) throw CLI::ValidationError("a run is named twice");
    if (command.files.size() < 2) {
        throw CLI::ValidationError("found one run, expected at least two");
    }
    if (!command.input.weights.empty() && command.input.weights.size() != command.files.size()) {
        throw CLI::ValidationError(
            fmt::format("--weights: {} weights for {} runs, expected one each",
                        command.input.weights.size(), command.files.size()));
    }
    command.fusion = fusion_options(command.input);
    try {
        if (!command.vectors.empty()) {
            const std::vector<ChoiceInfo>& choices =
                fusion_methods().find(command.fusion.method).choices;
            if (std::none_of(choices.begin(), choices.end(),
                             [](const ChoiceInfo& choice) { return choice.name == kGraph; })) {
                throw CLI::ValidationError("--vectors: " + command.fusion.method +
                                           " reads none, expected the method amanx");
            }
            command.fusion.choices.try_emplace(kGraph, kFeatures);
        }
        static_cast<void>(Fuser{command.fusion});  // Which checks it.
        check_graph(command);
    } catch (const Error& error) {
        throw CLI::ValidationError(error.what());
    }
}

// Vectors by documents' names.
class DocumentVectors {
  public:
    DocumentVectors(const FuseCommand& command, const Session& session)
        : vectors_(read_vectors(command.vectors, vector_reading(session))) {
        if (!command.vector_ids.empty()) {
            if (!vectors_.ids.empty()) {
                throw InvalidArgument(
                    command.vectors +
                    " has document names itself; --vector-ids is for files without");
            }
            vectors_.ids = read_vector_ids(command.vector_ids, session.limits.line);
        }
        if (vectors_.ids.size() != vectors_.size()) {
            throw InvalidArgument(fmt::format(
                "{}: {} names for {} vectors; expected --vector-ids with one name per line",
                command.vectors, vectors_.ids.size(), vectors_.size()));
        }
        for (std::size_t i = 0; i < vectors_.size(); ++i) rows_.emplace(vectors_.ids[i], i);
    }

    // Empty where there is none, which is counted.
    std::span<const float> of(std::string_view document) {
        const auto found = rows_.find(document);
        if (found != rows_.end()) return vectors_.row(found->second);
        missing_.emplace(document);
        return {};
    }

    const std::set<std::string, std::less<>>& missing() const { return missing_; }

  private:
    SourceVectors vectors_;
    std::map<std::string_view, std::size_t> rows_;
    std::set<std::string, std::less<>> missing_;
};

std::vector<Run> read_runs(const FuseCommand& command, Session& session) {
    std::vector<Run> runs(command.files.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
        runs[r] = read_run(command.files[r],
                           {.warn = session.warnings(), .max_line = session.limits.line});
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
    std::optional<DocumentVectors> vectors;
    PlaceFinder places;
    if (!command.vectors.empty()) {
        vectors.emplace(command, session);
        places = [&vectors](std::string_view document) { return vectors->of(document); };
    }
    const Progress progress = session.progress();
    std::string lines;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        QueryRun fused = fuse_lists(fuser, queries[i], command.depth, places);
        if (fused.documents.size() > command.count) fused.documents.resize(command.count);
        lines.clear();
        append_run(lines, fused, command.name);
        print_data(lines);
        if (!progress({"fusing", i + 1, queries.size(), "queries", ""})) {
            throw Cancelled(fmt::format("stopped after {} of {} queries", i + 1, queries.size()));
        }
    }
    if (vectors && !vectors->missing().empty()) {
        session.note(
            fmt::format("{}: {} documents have no vector and keep their scores; the first is '{}'",
                        command.vectors, vectors->missing().size(), *vectors->missing().begin()));
    }
    return kDone;
}

}  // namespace

void add_fuse(CLI::App& app, Session& session) {
    auto options = std::make_shared<FuseCommand>();
    CLI::App* command =
        app.add_subcommand("fuse", "Fuse several runs into one, without judgements");
    command->footer(fusion_methods_text() + kExamples);
    command->add_option("RUN", options->files, "TREC runs, gzipped or not; - is standard input")
        ->required();
    command->add_option("--method", options->input.method, "Fusion method, listed below")
        ->check(CLI::IsMember(fusion_methods().names()))
        ->capture_default_str();
    add_fusion_settings(*command, options->input, "the method", "runs");
    command
        ->add_option("--depth", options->depth,
                     "Number of top documents of each list that count [all]")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40));
    command->add_option("--count", options->count, "Most documents printed per query")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
        ->capture_default_str();
    command->add_option("--vectors", options->vectors,
                        "Document vectors for amanx, which gives similar documents similar scores "
                        "(.npy or JSON lines)");
    command
        ->add_option("--vector-ids", options->vector_ids,
                     "Document names for --vectors, one a line, if its file has none")
        ->needs("--vectors");
    command->add_option("--name", options->name, "Run name, the last column")
        ->capture_default_str();
    add_limits(*command, session, {"line", "dimensions"});
    add_message_flags(*command, session);
    set_action(*command, session, options, run_fuse, [command](FuseCommand& given) {
        check_nothing_empty(*command);
        check_command(given);
    });
}

}  // namespace braid::cli
