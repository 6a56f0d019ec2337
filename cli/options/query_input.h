// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/indexer/formats/query_reader.h"
#include "braid/judgements.h"

namespace braid::cli {

/// Options for a file of queries.
struct QueryInput {
    std::string path;
    QueryOptions reading;
};

/// Adds --queries, which is required, and its format options.
void add_query_input(CLI::App& command, QueryInput& input);

std::vector<SourceQuery> read_queries(const QueryInput& input, Session& session);

/// Options for a file of judgements; path "": none.
struct JudgementInput {
    std::string path;
    std::string format;
    std::string grades;
};

/// Adds --qrels and its format options; with `others` read in the same format, the caller checks
/// --qrels-format and --grades without --qrels.
CLI::Option* add_judgement_input(CLI::App& command, JudgementInput& input, bool others = false);

Judgements read_judgements(const JudgementInput& input, Session& session);

/// Adds --limit NAME=VALUE, repeatable, for a command with the limits `names`. Any other name is a
/// usage error that lists them.
void add_limits(CLI::App& command, Session& session, std::vector<std::string> names);

/// Sets a limit from "NAME=VALUE". Throws CLI::ValidationError.
void set_limit(const std::string& text, Limits& limits);

}  // namespace braid::cli
