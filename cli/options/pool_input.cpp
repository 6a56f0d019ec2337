// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/pool_input.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "braid/cli/options/judged_check.h"
#include "braid/cli/options/query_vectors.h"
#include "braid/error.h"

namespace braid::cli {

void add_pool_input(CLI::App& command, PoolInput& pool, CLI::Option* judged) {
    add_value(command, "--pool", pool.size, "N|all",
              "Most documents per query; all: every match, or with --candidates all the "
              "whole database")
        ->capture_default_str();
    using Source = PoolOptions::Source;
    add_choice(command, "--pool-from", pool.options.source,
               {{"rankers", Source::kRankers}, {"model", Source::kModel}},
               "rankers: each ranker's list in turn; model: the model's list")
        ->default_str("rankers");
    CLI::Option* add_judged = command.add_flag("--add-judged", pool.options.add_judged,
                                               "Add judged documents that no pool has");
    if (judged != nullptr) add_judged->needs(judged);
}

PoolOptions pool_options(const PoolInput& pool) {
    PoolOptions options = pool.options;
    options.size = 0;
    if (pool.size == "all") return options;
    const char* end = pool.size.data() + pool.size.size();
    const auto [stop, error] = std::from_chars(pool.size.data(), end, options.size);
    if (error != std::errc() || stop != end || options.size == 0) {
        throw InvalidArgument("--pool " + pool.size + ": expected a number from 1 up, or all");
    }
    return options;
}

std::vector<TrainingQuery> training_queries(const QueryInput& input, const QueryExtras& extras,
                                            const FusionModel& model, const Judgements* judgements,
                                            const std::string& judged_by, Session& session) {
    const std::vector<SourceQuery> all = read_queries(input, session);
    const std::vector<QueryInputs> inputs = query_inputs(extras, all, session);
    std::vector<TrainingQuery> queries;
    std::vector<std::string> ids;
    std::vector<QueryInputs> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (judgements != nullptr && judgements->find(all[i].id) == nullptr) continue;
        queries.push_back({all[i].id, all[i].text, inputs[i]});
        ids.push_back(all[i].id);
        kept.push_back(inputs[i]);
    }
    if (queries.empty()) {
        for (const SourceQuery& query : all) ids.push_back(query.id);
        refuse_unjudged(input.name(), ids, *judgements, judged_by);
    }
    if (queries.size() < all.size()) {
        session.note(fmt::format("{} of {} queries have no judgements and are left out",
                                 all.size() - queries.size(), all.size()));
    }
    check_vectors(model, true, ids, kept);
    for (const auto& [name, vector] : kept.front().vectors) {
        if (reads_vectors({model}, name)) continue;
        session.warnings()(unread_vectors("--query-vectors", name));
    }
    note_time(model, kept.front().now, session);
    return queries;
}

void add_query_embeddings(CLI::App& command, std::vector<std::string>& files) {
    add_values(
        command, "--query-embeddings", files, "[NAME=]FILE",
        "Query embeddings for query-dependent weights, called NAME in the model [embedding]: "
        ".npy or JSON lines, by query id or in query order; may be repeated");
}

void add_query_feature_input(CLI::App& command, QueryFeatureInput& input) {
    command
        .add_option("--query-features", input.groups,
                    "Query features for query-dependent weights: words (how many, how rare), "
                    "topics (the query's topic vectors), lists (how the rankers' results differ; "
                    "each search then has a first pass)")
        ->check(CLI::IsMember({"words", "topics", "lists", "none"}))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    add_query_embeddings(command, input.embeddings);
}

QueryFeatureGroups query_feature_groups(const QueryFeatureInput& input,
                                        std::vector<TrainingQuery>& queries,
                                        const Session& session) {
    const auto has = [&](const char* group) {
        return std::find(input.groups.begin(), input.groups.end(), group) != input.groups.end();
    };
    const QueryVectors embeddings =
        QueryVectors::embeddings(input.embeddings, vector_reading(session));
    QueryFeatureGroups groups{.words = has("words"),
                              .topics = has("topics"),
                              .lists = has("lists"),
                              .embeddings = embeddings.dimensions()};
    embeddings.check_count(queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
        queries[i].inputs.embeddings = embeddings.of(queries[i].id, i);
        for (const auto& [name, dimensions] : groups.embeddings) {
            if (queries[i].inputs.embeddings.contains(name)) continue;
            throw InvalidArgument(fmt::format(
                "--query-embeddings: the query {} has no embedding '{}'", queries[i].id, name));
        }
    }
    return groups;
}

}  // namespace braid::cli
