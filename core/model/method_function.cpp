// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/method_function.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/model/model_function.h"
#include "braid/core/model/nonlinear_forms.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr const char* kWeights = "weights";
constexpr const char* kMethod = "method";
constexpr const char* kGraph = "graph";
constexpr const char* kFeatures = "features";

Fuser fuser_of(const MethodFunction& function) {
    const bool uses_scores = fusion_methods().find(function.method).uses_scores;
    return Fuser({.method = function.method,
                  .parameters = function.parameters,
                  .choices = function.choices,
                  .normaliser = uses_scores ? "none" : "",
                  .weights = function.weights});
}

void check_width(const MethodFunction& function, std::size_t width) {
    if (function.rankers == width) return;
    throw InvalidArgument(
        fmt::format("a fusion of {} rankers for {}, expected as many", function.rankers, width));
}

// What the method reads of one query; holds the places, which it reads as doubles.
struct Pool {
    std::vector<double> features;
    FusionPool pool;
};

// What each ranker counts, where the model has a weight for each: of weights by query those that
// all queries share. A ranker of a weight below 0 is no list of what is good.
std::vector<double> weights_of(const FusionModel& model) {
    const RankingFunction function = model_function(model);
    if (const auto* linear = std::get_if<LinearFunction>(&function)) return linear->weights;
    if (const auto* by_query = std::get_if<AttentionFunction>(&function)) return by_query->base;
    if (const auto* method = std::get_if<MethodFunction>(&function)) {
        if (!method->weights.empty()) return method->weights;
    }
    std::vector<double> weights;
    for (const RankerSpec& spec : model.rankers) weights.push_back(spec.weight);
    return weights;
}

Pool pool_of(const MethodFunction& function, const TrainingSet& set, std::size_t query) {
    check_width(function, set.width());
    Pool result;
    if (needs_places(function) && !set.places.empty()) {
        const auto places = set.query_places(query);
        result.features.assign(places.begin(), places.end());
    }
    result.pool = {set.width(), set.query_scores(query), result.features};
    return result;
}

}  // namespace

bool needs_places(const MethodFunction& function) {
    const auto graph = function.choices.find(kGraph);
    return graph != function.choices.end() && graph->second == kFeatures;
}

void method_scores(const MethodFunction& function, const TrainingSet& set, std::size_t query,
                   std::span<double> scores) {
    const Pool pool = pool_of(function, set, query);
    const std::vector<double> fused = fuser_of(function).fuse(pool.pool);
    std::copy(fused.begin(), fused.end(), scores.begin());
}

std::vector<double> method_parts(const MethodFunction& function, const TrainingSet& set,
                                 std::size_t query) {
    const Fuser fuser = fuser_of(function);
    if (!fuser.info().adds_up) return {};
    const Pool pool = pool_of(function, set, query);
    std::vector<double> parts(set.pool_size(query) * set.width());
    for (std::size_t k = 0; k < set.width(); ++k) {
        const std::vector<double> own = fuser.part(pool.pool, k);
        for (std::size_t i = 0; i < own.size(); ++i) parts[i * set.width() + k] = own[i];
    }
    return parts;
}

FusionModel fused_model(const FusionModel& model, const FusionOptions& options) {
    const Fuser fuser(options);  // Checks them.
    FusionModel result{.rankers = {}};
    // What is told of the weights' learning is not true of this model.
    result.provenance.topic_models = model.provenance.topic_models;
    const std::vector<double> counts = weights_of(model);
    std::string labels;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        if (!(counts[k] > 0)) continue;
        result.rankers.push_back(model.rankers[k]);
        result.rankers.back().weight = counts[k];
        labels += (labels.empty() ? "" : ", ") + model.rankers[k].label();
    }
    const std::size_t rankers = result.rankers.size();
    if (rankers < 2) {
        throw InvalidArgument(
            fmt::format("{}: the model has {} of a weight above 0, expected two rankers at least",
                        options.method, rankers == 0 ? "no ranker" : "one ranker"));
    }
    if (!options.weights.empty() && options.weights.size() != rankers) {
        throw InvalidArgument(fmt::format("{}: {} weights for the {} rankers that count ({})",
                                          options.method, options.weights.size(), rankers, labels));
    }
    if (fuser.info().uses_scores) {
        result.normaliser.normaliser = options.normaliser.empty() ? "min-max" : options.normaliser;
        result.normaliser.parameters = options.normaliser_parameters;
    }
    result.normaliser.missing = MissingScore::kAbsent;
    for (std::size_t k = 0; k < options.weights.size(); ++k) {
        if (options.weights[k] == 0) result.rankers[k].weight = 0;
    }
    fill(MethodFunction{.rankers = rankers,
                        .method = options.method,
                        .parameters = options.parameters,
                        .choices = options.choices,
                        .weights = options.weights},
         result);
    return result;
}

void fill(const MethodFunction& function, FusionModel& model) {
    check_width(function, model.rankers.size());
    if (!function.weights.empty()) {
        check_count(kMethodForm, kWeights, function.weights.size(), model.rankers.size());
    }
    fuser_of(function);  // Checks the rest.
    FunctionForm& form = model.function;
    form.form = kMethodForm;
    form.numbers.clear();
    form.names = {{kMethod, {function.method}}};
    for (const auto& [name, value] : function.parameters) form.numbers[name] = {value};
    for (const auto& [name, value] : function.choices) form.names[name] = {value};
    if (!function.weights.empty()) form.numbers[kWeights] = function.weights;
}

RankingFunction read_method(const FusionModel& model) {
    const FunctionForm& form = model.function;
    MethodFunction function{.rankers = model.rankers.size()};
    for (const auto& [name, values] : form.names) {
        if (values.size() != 1) {
            throw InvalidArgument(fmt::format("function {}: {} names \"{}\", expected one",
                                              kMethodForm, values.size(), name));
        }
        (name == kMethod ? function.method : function.choices[name]) = values[0];
    }
    if (!form.names.contains(kMethod)) {
        throw InvalidArgument(fmt::format("function {}: no name \"{}\", expected one of {}",
                                          kMethodForm, kMethod,
                                          fmt::join(fusion_methods().names(), ", ")));
    }
    for (const auto& [name, values] : form.numbers) {
        if (name == kWeights) {
            function.weights = finite_numbers(form, name);
            check_count(kMethodForm, name, values.size(), model.rankers.size());
        } else {
            function.parameters[name] = single_number(form, name);
        }
    }
    if (!fuser_of(function).info().uses_scores && model.normaliser.normaliser != "none") {
        throw InvalidArgument(fmt::format(
            "{} looks at the order of each list only: normaliser {} would have no effect",
            function.method, model.normaliser.normaliser));
    }
    return function;
}

RankingFunction divide(const MethodFunction& function, const std::vector<double>& scales) {
    check_width(function, scales.size());
    if (!fusion_methods().find(function.method).uses_scores) return function;
    throw InvalidArgument(
        fmt::format("{} can't take in the scales of scores; use a normaliser", function.method));
}

}  // namespace braid
