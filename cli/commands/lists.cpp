// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "braid/cli/options/command.h"
#include "braid/cli/output/output.h"
#include "braid/cli/output/text_table.h"
#include "braid/core/eval/measure.h"
#include "braid/core/model/model_rankers.h"

namespace braid::cli {
namespace {

std::string written(const MeasureInfo& info) {
    switch (info.cutoff) {
        case MeasureInfo::Cutoff::kNone:
            return info.name;
        case MeasureInfo::Cutoff::kOptional:
            return info.name + "[@k]";
        case MeasureInfo::Cutoff::kRequired:
            break;
    }
    return info.name + "@k";
}

int print_measures(bool as_json) {
    if (!as_json) {
        TextTable table(2);
        for (const MeasureInfo& info : measures()) table.row({written(info), info.summary});
        print_text(table.text());
        return kDone;
    }
    auto list = nlohmann::ordered_json::array();
    for (const MeasureInfo& info : measures()) {
        const char* cutoff = info.cutoff == MeasureInfo::Cutoff::kNone       ? "none"
                             : info.cutoff == MeasureInfo::Cutoff::kOptional ? "optional"
                                                                             : "required";
        list.push_back({{"name", info.name},
                        {"cutoff", cutoff},
                        {"also", info.also},
                        {"summary", info.summary}});
    }
    print_json(list, 2);
    return kDone;
}

std::string written(const ModelRanker& info) {
    std::string parameters;
    for (const ParameterInfo& parameter : info.parameters) {
        parameters += fmt::format("{}{}={:g}", parameters.empty() ? "" : " ", parameter.name,
                                  parameter.default_value);
    }
    return parameters;
}

int print_rankers(bool as_json) {
    if (!as_json) {
        TextTable table(3);
        for (const ModelRanker& info : model_rankers()) {
            table.row({info.name, written(info), info.summary});
        }
        print_text(table.text());
        return kDone;
    }
    auto list = nlohmann::ordered_json::array();
    for (const ModelRanker& info : model_rankers()) {
        auto parameters = nlohmann::ordered_json::array();
        for (const ParameterInfo& parameter : info.parameters) {
            parameters.push_back({{"name", parameter.name},
                                  {"default", parameter.default_value},
                                  {"minimum", parameter.minimum},
                                  {"maximum", parameter.maximum},
                                  {"summary", parameter.summary}});
        }
        list.push_back({{"name", info.name},
                        {"summary", info.summary},
                        {"formula", info.formula},
                        {"parameters", std::move(parameters)}});
    }
    print_json(list, 2);
    return kDone;
}

void add_measures(CLI::App& app, Session& session) {
    auto as_json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("measures", "The measures that `braid eval` knows");
    command->footer("Example:\n  braid measures");
    command->add_flag("--json", *as_json, "Print JSON");
    command->callback(
        [&session, as_json] { session.action = [as_json] { return print_measures(*as_json); }; });
}

void add_rankers(CLI::App& app, Session& session) {
    auto as_json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("rankers", "The rankers that a model can have");
    command->footer(
        "Example:\n  braid rankers\n\nA line is a ranker, its parameters with their "
        "defaults, and what it is; docs/algorithms/ has the formulas.");
    command->add_flag("--json", *as_json, "Print JSON, with ranges and formulas");
    command->callback(
        [&session, as_json] { session.action = [as_json] { return print_rankers(*as_json); }; });
}

}  // namespace

void add_list_commands(CLI::App& app, Session& session) {
    add_measures(app, session);
    add_rankers(app, session);
}

}  // namespace braid::cli
