// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/options/query_vectors.h"
#include "braid/plugin/ranking/query_features.h"
#include "braid/plugin/training/feature_extractor.h"

namespace braid::cli {

/// Pool options of the commands that find candidates in a database.
struct PoolInput {
    std::string size = "1000";  ///< A number or "all".
    PoolOptions options;
};

/// Adds --pool, --pool-from and --add-judged; the last needs the option `judged`, or the caller
/// checks it (nullptr).
void add_pool_input(CLI::App& command, PoolInput& pool, CLI::Option* judged);

/// Throws InvalidArgument for an invalid size.
PoolOptions pool_options(const PoolInput& pool);

/// The queries in file order, for the rankers of `model`. With judgements, drops unjudged queries
/// with a note. Throws Error, which names `judged_by`, if none is left, and as check_vectors does
/// for all rankers.
std::vector<TrainingQuery> training_queries(const QueryInput& input, const QueryExtras& extras,
                                            const FusionModel& model, const Judgements* judgements,
                                            const std::string& judged_by, Session& session);

/// Features that query-dependent weights are learned from.
struct QueryFeatureInput {
    std::vector<std::string> groups = {"words"};
    std::vector<std::string> embeddings;  ///< "[NAME=]FILE"
};

/// Adds --query-features and --query-embeddings.
void add_query_feature_input(CLI::App& command, QueryFeatureInput& input);

/// Adds --query-embeddings alone.
void add_query_embeddings(CLI::App& command, std::vector<std::string>& files);

/// Reads the embeddings into `queries`, a subset of the files' queries, and returns the groups of
/// query features. Throws as QueryVectors::embeddings, and InvalidArgument for a query without an
/// embedding and for files without ids.
QueryFeatureGroups query_feature_groups(const QueryFeatureInput& input,
                                        std::vector<TrainingQuery>& queries,
                                        const Session& session);

}  // namespace braid::cli
