// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/indexer/formats/query_reader.h"
#include "braid/judgements.h"

namespace braid::cli {

/// Options for files of queries.
struct QueryInput {
    std::vector<std::string> paths;
    std::vector<std::string> prefixes;  ///< Of the ids: none, or one a file.
    QueryOptions reading;

    std::string name() const;  ///< "a.qry, b.qry", for messages.
};

/// Adds --queries, which is required, and its format options.
void add_query_input(CLI::App& command, QueryInput& input);

/// Throws as braid::read_queries does, and Error for an id in two files.
std::vector<SourceQuery> read_queries(const QueryInput& input, Session& session);

/// Options for files of judgements.
struct JudgementInput {
    std::vector<std::string> paths;     ///< Empty: no judgements.
    std::vector<std::string> prefixes;  ///< Of queries' and documents' names: none, or one a file.
    std::string format;
    std::string grades;

    std::string name() const;  ///< As QueryInput's.
};

/// Adds --id-prefix, repeatable.
CLI::Option* add_id_prefix(CLI::App& command, std::vector<std::string>& prefixes,
                           const std::string& help);
inline constexpr char kPrefixHelp[] =
    "Comes before the ids of a file's queries, and before all ids of its judgements, as in `braid "
    "index --id-prefix`; one for each file, in their order";

/// Checks files of queries and of judgements, which share their prefixes: one prefix a file, or
/// none; at most one standard input. Throws CLI::ValidationError.
void check_query_files(const QueryInput& queries, const JudgementInput& judgements);

/// Adds --qrels and its format options; with `others` read in the same format, the caller checks
/// --qrels-format and --grades without --qrels.
CLI::Option* add_judgement_input(CLI::App& command, JudgementInput& input, bool others = false);

/// Warns of pairs that a second file judges otherwise; the first grade stays.
Judgements read_judgements(const JudgementInput& input, Session& session);

/// Adds --limit NAME=VALUE, repeatable, for a command with the limits `names`. Any other name is a
/// usage error that lists them.
void add_limits(CLI::App& command, Session& session, std::vector<std::string> names);

/// Sets a limit from "NAME=VALUE". Throws CLI::ValidationError.
void set_limit(const std::string& text, Limits& limits);

}  // namespace braid::cli
