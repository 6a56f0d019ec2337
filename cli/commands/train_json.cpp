// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/cli/options/train_setup.h"
#include "braid/cli/output/output.h"
#include "braid/core/model/model_function.h"

namespace braid::cli {
namespace {

using Json = nlohmann::ordered_json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json in_json(const BaselineComparison& baseline) {
    return {{"name", baseline.name},
            {"mean", baseline.mean},
            {"difference", baseline.difference},
            {"interval", {finite(baseline.interval.low), finite(baseline.interval.high)}},
            {"better", baseline.better},
            {"worse", baseline.worse},
            {"p", baseline.p},
            {"p_adjusted", baseline.p_adjusted}};
}

Json in_json(const FoldResult& fold) {
    return {{"seed", fold.seed},
            {"fold", fold.fold + 1},
            {"training_queries", fold.train_queries},
            {"test_queries", fold.test_queries},
            {"training", fold.train},
            {"test", fold.test},
            {"iterations", fold.iterations},
            {"stop_reason", fold.stop_reason}};
}

Json rankers_in_json(const TrainReport& report) {
    const FusionModel& model = report.trained.model;
    const auto function = model_function(model);
    const auto* linear = std::get_if<LinearFunction>(&function);
    Json list = Json::array();
    for (std::size_t k = 0; k < model.rankers.size(); ++k) {
        Json ranker = {{"name", model.rankers[k].label()}};
        if (linear != nullptr) {
            ranker["weight"] = linear->weights[k];
            ranker["share"] = report.shares[k];
        }
        list.push_back(std::move(ranker));
    }
    return list;
}

Json learning_in_json(const ModelProvenance& provenance) {
    const LearningRecord& learning = provenance.learning;
    Json curve = Json::array();
    for (const CurvePoint& point : learning.curve) {
        Json entry = {{"iteration", point.iteration}, {"objective", finite(point.objective)}};
        if (point.validation) entry["validation"] = *point.validation;
        curve.push_back(std::move(entry));
    }
    return {{"queries", learning.queries},
            {"documents", learning.documents},
            {"judgements", learning.judgements},
            {"objective_name", learning.objective_name},
            {"objective", finite(learning.objective)},
            {"iterations", learning.iterations},
            {"stop_reason", learning.stop_reason},
            {"curve", std::move(curve)}};
}

}  // namespace

void print_json(const TrainReport& report) {
    const FusionModel& model = report.trained.model;
    const ModelProvenance& provenance = model.provenance;
    Json out = {{"learner", provenance.learner},
                {"options", provenance.options},
                {"seed", provenance.seed},
                {"measure", report.measures[0]},
                {"normaliser", model.normaliser.normaliser},
                {"form", model.function.form},
                {"rankers", rankers_in_json(report)},
                {"learning", learning_in_json(provenance)},
                {"training", provenance.learning.measures}};
    if (!provenance.learning.validation.empty()) {
        out["validation"] = provenance.learning.validation;
    }
    if (!provenance.measures.empty()) out["test"] = provenance.measures;
    if (report.folds) {
        out["folds"] = Json::array();
        for (const FoldResult& fold : report.folds->folds) out["folds"].push_back(in_json(fold));
    }
    if (!report.baselines.empty()) {
        out["baselines"] = Json::array();
        for (const auto& baseline : report.baselines) out["baselines"].push_back(in_json(baseline));
    }
    if (report.oracle) out["oracle"] = report.oracle_mean;
    if (report.now > 0) out["now"] = report.now;
    out["warnings"] = report.trained.result.warnings;
    if (!report.command.model.empty()) out["model"] = report.command.model;
    print_json(out, 2);
}

}  // namespace braid::cli
