// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/query_input.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/error.h"
#include "braid/indexer/formats/judgement_reader.h"

namespace braid::cli {

void add_query_input(CLI::App& command, QueryInput& input) {
    add_values(command, "--queries", input.paths, "FILE",
               "Queries; - is standard input; repeat with an --id-prefix each")
        ->required();
    command.add_option("--queries-format", input.reading.format, "Their format [recognised]")
        ->check(CLI::IsMember(query_formats().names()));
    command
        .add_option("--query-fields", input.reading.fields,
                    "Fields of a query to search for, comma-separated [the format's]")
        ->delimiter(',')
        ->allow_extra_args(false);
    using Ids = QueryOptions::Ids;
    add_choice(command, "--query-ids", input.reading.ids,
               {{"given", Ids::kGiven}, {"sequence", Ids::kSequence}},
               "given: from the file; sequence: 1, 2, 3, ... in file order")
        ->default_str("given");
}

std::vector<SourceQuery> read_queries(const QueryInput& input, Session& session) {
    QueryOptions reading = input.reading;
    reading.warn = session.warnings();
    reading.max_line = session.limits.line;
    std::vector<SourceQuery> queries;
    std::map<std::string, SourceLocation> seen;
    for (std::size_t i = 0; i < input.paths.size(); ++i) {
        if (!input.prefixes.empty()) reading.id_prefix = input.prefixes[i];
        for (SourceQuery& query : braid::read_queries(input.paths[i], reading)) {
            const auto [place, is_new] = seen.emplace(query.id, query.where);
            if (!is_new) {
                throw Error(fmt::format(
                    "{}: query {} is in {}, too; an --id-prefix for each file tells them apart",
                    input.paths[i], query.id, place->second.file));
            }
            queries.push_back(std::move(query));
        }
    }
    return queries;
}

std::string QueryInput::name() const { return fmt::format("{}", fmt::join(paths, ", ")); }
std::string JudgementInput::name() const { return fmt::format("{}", fmt::join(paths, ", ")); }

CLI::Option* add_id_prefix(CLI::App& command, std::vector<std::string>& prefixes,
                           const std::string& help) {
    return add_values(command, "--id-prefix", prefixes, "PREFIX", help)
        ->check([](const std::string& text) -> std::string {
            const bool is_plain = std::none_of(text.begin(), text.end(), [](char c) {
                return static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
            });
            if (is_plain && !text.empty()) return "";
            return "expected a text without blanks and control characters, as in med:";
        });
}

void check_query_files(const QueryInput& queries, const JudgementInput& judgements) {
    std::vector<std::pair<std::string, std::string>> files;
    const auto check = [&](const std::vector<std::string>& prefixes, const std::string& option,
                           const std::vector<std::string>& paths) {
        for (const std::string& path : paths) files.emplace_back(option, path);
        if (prefixes.empty() || paths.empty() || prefixes.size() == paths.size()) return;
        throw CLI::ValidationError(
            fmt::format("--id-prefix: found {}, expected as many as {}, of which there are {}",
                        prefixes.size(), option, paths.size()));
    };
    check(queries.prefixes, "--queries", queries.paths);
    check(judgements.prefixes, "--qrels", judgements.paths);
    check_standard_input(files);
}

CLI::Option* add_judgement_input(CLI::App& command, JudgementInput& input, bool others) {
    CLI::Option* qrels = add_values(command, "--qrels", input.paths, "FILE",
                                    "Judgements; repeat with an --id-prefix each");
    CLI::Option* format =
        command.add_option("--qrels-format", input.format, "Their format [recognised]")
            ->check(CLI::IsMember(judgement_formats().names()));
    CLI::Option* grades = command
                              .add_option("--grades", input.grades,
                                          "Map grades of the file, for example 1=4,2=3,all=same")
                              ->check([](const std::string& text) -> std::string {
                                  try {
                                      GradeMap{text};
                                  } catch (const Error& error) {
                                      return error.what();
                                  }
                                  return "";
                              });
    if (!others) {
        format->needs(qrels);
        grades->needs(qrels);
    }
    return qrels;
}

Judgements read_judgements(const JudgementInput& input, Session& session) {
    JudgementOptions options;
    options.format = input.format;
    if (!input.grades.empty()) options.grades = GradeMap(input.grades);
    options.warn = session.warnings();
    options.max_line = session.limits.line;
    Judgements judgements;
    std::size_t conflicts = 0;
    for (std::size_t i = 0; i < input.paths.size(); ++i) {
        if (!input.prefixes.empty()) options.id_prefix = input.prefixes[i];
        Judgements read = braid::read_judgements(input.paths[i], options);
        if (input.paths.size() == 1) return read;
        for (const QueryJudgements& query : read.queries()) {
            for (const Judgement& judgement : query.all()) {
                const auto added =
                    judgements.add(query.query(), judgement.document, judgement.grade);
                if (added == Judgements::Added::kConflict) ++conflicts;
            }
        }
    }
    if (conflicts > 0) {
        session.warnings()(fmt::format(
            "{}: {} pairs of query and document have two grades, of which the first stays; an "
            "--id-prefix for each file tells collections apart",
            input.name(), conflicts));
    }
    return judgements;
}

namespace {

// "line [16777216]: Bytes in a line ..."
std::string help_of(const std::vector<std::string>& names) {
    std::string text = "Limit on one input; may be repeated; NAME is";
    for (const std::string& name : names) {
        text += fmt::format("{} {} [{}]", name == names.front() ? "" : ",", name,
                            Limits{}.*limit_infos().find(name).value);
    }
    return text;
}

}  // namespace

void set_limit(const std::string& text, Limits& limits) {
    const std::size_t equals = text.find('=');
    const LimitInfo* info = nullptr;
    try {
        info = &limit_infos().find(text.substr(0, equals));
    } catch (const UnknownComponent& error) {
        throw CLI::ValidationError(std::string("--limit: ") + error.what());
    }
    const char* const begin = text.data() + std::min(equals, text.size() - 1) + 1;
    const char* const end = text.data() + text.size();
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end || value < info->minimum || value > info->maximum) {
        throw CLI::ValidationError(fmt::format("--limit {}: expected {}=NUMBER from {} to {}", text,
                                               info->name, info->minimum, info->maximum));
    }
    limits.*info->value = value;
}

void add_limits(CLI::App& command, Session& session, std::vector<std::string> names) {
    const std::string called = command.get_name();
    const std::string help = help_of(names);
    command.add_option("--limit", session.limit_texts, help)
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false)
        ->check([names = std::move(names), called](const std::string& text) -> std::string {
            Limits limits;
            try {
                set_limit(text, limits);
            } catch (const CLI::ValidationError& error) {
                return error.what();
            }
            const std::string name = text.substr(0, text.find('='));
            if (std::find(names.begin(), names.end(), name) != names.end()) return "";
            return fmt::format("--limit {}: braid {} has no such limit, expected {}", text, called,
                               fmt::join(names, ", "));
        });
}

}  // namespace braid::cli
