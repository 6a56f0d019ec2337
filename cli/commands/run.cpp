// SPDX-License-Identifier: GPL-2.0-or-later
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "braid/cli/options/command.h"
#include "braid/cli/options/pool_input.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/options/query_vectors.h"
#include "braid/cli/options/search_setup.h"
#include "braid/cli/output/output.h"
#include "braid/error.h"
#include "braid/indexer/formats/runs.h"

namespace braid::cli {
namespace {

constexpr const char* kRunFooter = R"(
Queries are free text, read as bags of words without stop words: quotes, signs and AND, OR, NOT are no
operators. Output lines: query Q0 document rank score name.

Examples:
  braid run --db med --queries MED.QRY > bm25.run
  braid run --db cran --queries cran.qry --query-ids sequence --model lm-dirichlet --name lm > lm.run
  braid run --db med --queries MED.QRY --depth all --config papers | braid eval --qrels MED.REL -)";

struct RunCommand {
    SearchSetup setup;
    QueryInput queries;
    QueryExtras extras;
    std::vector<std::string> embeddings;
    std::string depth = "1000";
    std::string name = "braid";
};

// "all" is every document there is.
Xapian::doccount depth_of(const std::string& text, const Xapian::Database& database) {
    if (text == "all") return database.get_doccount();
    Xapian::doccount depth = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
    if (error != std::errc() || end != text.data() + text.size() || depth == 0) {
        throw InvalidArgument("--depth " + text + ": expected a number from 1 up, or all");
    }
    return depth;
}

SearchResult search(const SourceQuery& query, Searcher& searcher, SearchRequest request) {
    try {
        request.query = searcher.bag_of_words(query.text);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(fmt::format("query {}: {}", query.id, error.what()));
    }
    request.documents = false;
    return searcher.search(request);
}

// The query's lines; "" where nothing was found.
std::string lines_of(const SourceQuery& query, const SearchResult& result,
                     const std::string& name) {
    QueryRun run{query.id, {}};
    run.documents.reserve(result.hits.size());
    for (const SearchHit& hit : result.hits) run.documents.push_back({hit.name, hit.score});
    rank_documents(run.documents);
    std::string lines;
    append_run(lines, run, name);
    return lines;
}

// What they took, on average.
void note_second_passes(const RunCommand& command, std::size_t documents, double milliseconds,
                        std::size_t queries, Session& session) {
    if (documents > 0) {
        const auto count = static_cast<double>(queries);
        session.note(fmt::format("second passes: {:.0f} documents and {:.2f} ms a query (--window)",
                                 static_cast<double>(documents) / count, milliseconds / count));
    } else if (command.setup.window && queries > 0) {
        session.warnings()("--window changes nothing: one pass serves the model");
    }
}

// Queries have the vectors that rankers need, and none that nothing reads.
void check_inputs(const RunCommand& command, const Settings& settings, const SearchPlace& place,
                  const std::vector<SourceQuery>& queries, const std::vector<QueryInputs>& inputs,
                  Session& session) {
    if (command.setup.model == "xapian" || queries.empty()) return;
    const FusionModel model = fusion_model_of(command.setup, settings, place);
    std::vector<std::string> ids;
    ids.reserve(queries.size());
    for (const SourceQuery& query : queries) ids.push_back(query.id);
    check_vectors(model, false, ids, inputs);
    for (const auto& [name, vector] : inputs.front().vectors) {
        if (reads_vectors({model}, name)) continue;
        session.warnings()(unread_vectors("--query-vectors", name));
    }
    note_time(model, inputs.front().now, session);
}

int run_queries(const RunCommand& command, Session& session) {
    const Settings settings = settings_of(command.setup, session);
    const SearchPlace place = find_place(command.setup, settings, session);
    Searcher searcher(place.paths, place.options);
    rank_by(searcher, command.setup, settings, place);
    const Xapian::doccount depth = depth_of(command.depth, searcher.database());
    const std::vector<SourceQuery> queries = read_queries(command.queries, session);
    const std::vector<QueryInputs> inputs = query_inputs(command.extras, queries, session);
    check_inputs(command, settings, place, queries, inputs, session);
    const QueryVectors embeddings =
        QueryVectors::embeddings(command.embeddings, vector_reading(session));
    embeddings.check_count(queries.size());
    const Progress progress = session.progress();
    std::size_t empty = 0;
    std::size_t moves = 0;
    std::size_t rescored = 0;
    double rescoring = 0;
    bool damaged = false;
    std::uint64_t without_positions = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        SearchRequest request;
        request.count = depth;
        if (command.setup.window) request.window = *command.setup.window;
        request.inputs = inputs[i];
        request.inputs.embeddings = embeddings.of(queries[i].id, i);
        const SearchResult result = search(queries[i], searcher, std::move(request));
        rescored += result.run.rescored;
        rescoring += result.run.rescoring_milliseconds;
        if (result.reopened > 0) ++moves;
        damaged = damaged || result.run.counters.damaged > 0;
        without_positions += result.run.counters.without_positions;
        const std::string lines = lines_of(queries[i], result, command.name);
        if (lines.empty()) ++empty;
        print_data(lines);
        if (!progress({"searching", i + 1, queries.size(), "queries", ""})) {
            throw Cancelled(fmt::format("stopped after {} of {} queries", i + 1, queries.size()));
        }
    }
    note_second_passes(command, rescored, rescoring, queries.size(), session);
    if (moves > 0) {
        session.note(
            fmt::format("the database changed meanwhile: {} queries were answered on {} states of "
                        "it, each query on one",
                        queries.size(), moves + 1));
    }
    if (damaged) session.warnings()(kDamageMet);
    if (without_positions > 0) session.warnings()(without_positions_met(without_positions));
    if (empty > 0) {
        session.note(fmt::format("{} of {} queries found nothing", empty, queries.size()));
    }
    return kDone;
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
    auto options = std::make_shared<RunCommand>();
    CLI::App* command =
        app.add_subcommand("run", "Search for all queries of a file and print a TREC run");
    command->footer(kRunFooter);
    add_search_setup(*command, options->setup);
    add_query_input(*command, options->queries);
    add_id_prefix(*command, options->queries.prefixes, kPrefixHelp);
    add_query_extras(*command, options->extras);
    add_query_embeddings(*command, options->embeddings);
    add_limits(*command, session, {"words", "line", "dimensions", "memory"});
    command->add_option("--depth", options->depth, "Most results per query, or all")
        ->capture_default_str();
    command->add_option("--name", options->name, "Run name, the last column")
        ->capture_default_str();
    add_message_flags(*command, session);
    set_action(*command, session, options, run_queries, [](const RunCommand& given) {
        check_query_files(given.queries, {});
        fusion_options(given.setup.fusion);
    });
}

}  // namespace braid::cli
