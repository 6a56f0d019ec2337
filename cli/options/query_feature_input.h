// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/plugin/ranking/query_feature_groups.h"
#include "braid/plugin/training/feature_extractor.h"

namespace braid::cli {

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
