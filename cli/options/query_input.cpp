// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/query_input.h"

#include "braid/indexer/formats/judgement_reader.h"

namespace braid::cli {

void add_query_input(CLI::App& command, QueryInput& input) {
    command.add_option("--queries", input.path, "The queries; - is standard input")->required();
    command.add_option("--queries-format", input.reading.format, "Their form, where it isn't seen")
        ->check(CLI::IsMember(query_formats().names()));
    command
        .add_option("--query-fields", input.reading.fields,
                    "Fields to search for, with commas between; otherwise the format's own")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        .add_option_function<std::string>(
            "--query-ids",
            [&input](const std::string& text) {
                input.reading.ids =
                    text == "sequence" ? QueryOptions::Ids::kSequence : QueryOptions::Ids::kGiven;
            },
            "given: as in the file; sequence: 1, 2, 3 in its order, whatever it says")
        ->check(CLI::IsMember({"given", "sequence"}))
        ->default_str("given");
}

std::vector<SourceQuery> read_queries(const QueryInput& input, Session& session) {
    QueryOptions reading = input.reading;
    reading.warn = session.warnings();
    reading.max_line = session.limits.line;
    return braid::read_queries(input.path, reading);
}

CLI::Option* add_judgement_input(CLI::App& command, JudgementInput& input, bool others) {
    CLI::Option* qrels = command.add_option("--qrels", input.path, "The judgements");
    CLI::Option* format =
        command.add_option("--qrels-format", input.format, "Their form, where it isn't seen")
            ->check(CLI::IsMember(judgement_formats().names()));
    CLI::Option* grades =
        command
            .add_option("--grades", input.grades,
                        "What grades in the file mean, for example 1=4,2=3,all=same")
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
    return braid::read_judgements(input.path, options);
}

}  // namespace braid::cli
