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

/// Which documents of a database a query is learned from, for the commands that find them.
struct PoolInput {
    std::string size = "1000";  ///< A number or "all".
    PoolOptions options;
};

/// --pool, --pool-from and --add-judged; `judged` is the option without which the last makes no
/// sense; nullptr: the caller looks after that.
void add_pool_input(CLI::App& command, PoolInput& pool, CLI::Option* judged);

/// Throws InvalidArgument for a size that is none.
PoolOptions pool_options(const PoolInput& pool);

/// The queries in their file's order, for the rankers of `model`; where there are judgements, those
/// that nobody judged are left out, with a note. Throws Error where none is left; `judged_by` names
/// the judgements for that; and as check_vectors, for all rankers.
std::vector<TrainingQuery> training_queries(const QueryInput& input, const QueryExtras& extras,
                                            const FusionModel& model, const Judgements* judgements,
                                            const std::string& judged_by, Session& session);

/// What query-dependent weights are learned from.
struct QueryFeatureInput {
    std::vector<std::string> groups = {"words"};
    std::vector<std::string> embeddings;  ///< "[NAME=]FILE"
};

/// --query-features and --query-embeddings.
void add_query_feature_input(CLI::App& command, QueryFeatureInput& input);

/// --query-embeddings alone.
void add_query_embeddings(CLI::App& command, std::vector<std::string>& files);

/// Reads the embeddings into `queries`, which are some of those of the files, and says what there
/// is to write down of a query. Throws as QueryVectors::embeddings, and InvalidArgument for a query
/// without an embedding and for files without ids.
QueryFeatureGroups query_feature_groups(const QueryFeatureInput& input,
                                        std::vector<TrainingQuery>& queries,
                                        const Session& session);

}  // namespace braid::cli
