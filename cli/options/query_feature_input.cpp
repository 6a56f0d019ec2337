// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/query_feature_input.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/cli/options/query_vectors.h"
#include "braid/core/base/error.h"

namespace braid::cli {

void add_query_embeddings(CLI::App& command, std::vector<std::string>& files) {
    command
        .add_option("--query-embeddings", files,
                    "What a model of query-dependent weights knows of the queries as NAME "
                    "[embedding], .npy or JSON lines, by the queries' ids or in their order; may "
                    "be repeated")
        ->type_name("[NAME=]FILE")
        ->take_all()
        ->allow_extra_args(false);
}

void add_query_feature_input(CLI::App& command, QueryFeatureInput& input) {
    command
        .add_option("--query-features", input.groups,
                    "What query-dependent weights may follow from: words (how many, how rare), "
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
