// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/cli/report/train_report.h"

namespace braid::cli {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

void add(Pairs& pairs, const std::string& name, const std::string& value) {
    if (!value.empty()) pairs.emplace_back(name, value);
}

std::string seeds_of(const std::vector<std::uint64_t>& seeds) {
    return fmt::format("{}", fmt::join(seeds, ", "));
}

std::string parameters_of(const ParameterMap& parameters) {
    std::string text;
    for (const auto& [name, value] : parameters) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    }
    return text;
}

void add_input(Pairs& pairs, const TrainCommand& command) {
    add(pairs, "features", command.letor);
    add(pairs, "validation file", command.validation);
    add(pairs, "test file", command.test);
    add(pairs, "database", fmt::format("{}", fmt::join(command.setup.databases, ", ")));
    add(pairs, "queries", command.queries.path);
    add(pairs, "judgements", command.judgements.path);
    add(pairs, "clicks", command.clicks);
    add(pairs, "continued from", command.continued);
}

void add_learning(Pairs& pairs, const TrainReport& report) {
    const TrainCommand& command = report.command;
    const ModelProvenance& provenance = report.trained.model.provenance;
    add(pairs, "learner", provenance.learner);
    std::string options;
    for (const auto& [name, value] : provenance.options) {
        options += fmt::format("{}{}={}", options.empty() ? "" : " ", name, value);
    }
    add(pairs, "parameters", options);
    add(pairs, "measure", report.measures[0]);
    add(pairs, "least relevant grade", std::to_string(command.job.options.judging.relevant_from));
    const Normalisation& normaliser = report.trained.model.normaliser;
    std::string how =
        command.job.scale ? "scale, by each ranker's mean spread" : normaliser.normaliser;
    if (!normaliser.parameters.empty()) how += ' ' + parameters_of(normaliser.parameters);
    add(pairs, "normaliser", how);
    add(pairs, "queries without a relevant document",
        command.job.skip_empty ? "left out of means" : "count 0");
    if (command.folding.folds > 0) {
        add(pairs, "folds", std::to_string(command.folding.folds));
        add(pairs, "seeds of the folds", seeds_of(command.folding.seeds));
    }
    add(pairs, "paired test", command.folding.baselines.test);
    add(pairs, "seed", std::to_string(provenance.seed));
}

void add_rankers(Pairs& pairs, const FusionModel& model) {
    for (const RankerSpec& spec : model.rankers) {
        std::string what = spec.ranker;
        if (!spec.field.empty()) what += ", field " + spec.field;
        if (!spec.topics.empty()) what += ", topics " + spec.topics;
        if (!spec.parameters.empty()) what += ", " + parameters_of(spec.parameters);
        if (what != spec.label() && spec.ranker != "feature") {
            add(pairs, "ranker " + spec.label(), what);
        }
    }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of_report(const TrainReport& report) {
    Pairs pairs;
    add_input(pairs, report.command);
    add_learning(pairs, report);
    add_rankers(pairs, report.trained.model);
    for (const TopicModelIdentity& identity : report.trained.model.provenance.topic_models) {
        add(pairs, "topic model " + identity.name, fmt::format("{}", identity.id));
    }
    if (report.now > 0) {
        add(pairs, "ages counted from", fmt::format("{:.0f} seconds after 1970", report.now));
    }
    add(pairs, "model", report.command.model);
    return pairs;
}

}  // namespace braid::cli
