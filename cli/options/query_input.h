// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/core/eval/judgements.h"
#include "braid/indexer/formats/query_reader.h"

namespace braid::cli {

/// A file of queries, for the commands that take one.
struct QueryInput {
    std::string path;
    QueryOptions reading;
};

/// --queries, which is required, and how the file is read.
void add_query_input(CLI::App& command, QueryInput& input);

std::vector<SourceQuery> read_queries(const QueryInput& input, Session& session);

/// A file of judgements; "" is none.
struct JudgementInput {
    std::string path;
    std::string format;
    std::string grades;
};

/// --qrels and how the file is read; the caller looks after --qrels-format and --grades without it
/// if `others` are read like it.
CLI::Option* add_judgement_input(CLI::App& command, JudgementInput& input, bool others = false);

Judgements read_judgements(const JudgementInput& input, Session& session);

/// --limit NAME=VALUE, which may be repeated, for a command that heeds the limits `names`. Another
/// is an error of the call, which lists those.
void add_limits(CLI::App& command, Session& session, std::vector<std::string> names);

/// Sets the limit that "NAME=VALUE" is about. Throws CLI::ValidationError.
void set_limit(const std::string& text, Limits& limits);

}  // namespace braid::cli
