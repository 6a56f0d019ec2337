// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/model_function.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/model/attention.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/nonlinear_forms.h"
#include "braid/error.h"

// Three functions a form: `fill` writes it, its row in `forms` reads it, `divide` takes scales in.

namespace braid {
namespace {

constexpr const char* kLinear = "linear";
constexpr const char* kAttention = "attention";         // Weights that depend on the query.
constexpr const char* kSignedLinear = "signed-linear";  // Weights below 0 among them.

constexpr double kMostDimensions = 1e6;

void fill(const LinearFunction& function, FusionModel& model) {
    const std::vector<double>& weights = function.weights;
    check_count(kLinear, "weights", weights.size(), model.rankers.size());
    for (const double weight : weights) {
        if (std::isfinite(weight)) continue;
        throw InvalidArgument(fmt::format("a weight is {}, expected a finite number", weight));
    }
    const bool is_signed =
        std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0; });
    for (std::size_t i = 0; i < weights.size(); ++i) {
        model.rankers[i].weight = is_signed ? 1 : weights[i];
    }
    if (is_signed) model.function = {.form = kSignedLinear, .numbers = {{"weights", weights}}};
}

RankingFunction read_linear(const FusionModel& model) {
    LinearFunction function;
    for (const RankerSpec& spec : model.rankers) function.weights.push_back(spec.weight);
    return function;
}

RankingFunction read_signed_linear(const FusionModel& model) {
    LinearFunction function{finite_numbers(model.function, "weights")};
    check_count(kSignedLinear, "weights", function.weights.size(), model.rankers.size());
    return function;
}

void fill(const AttentionFunction& function, FusionModel& model) {
    validate(function);
    check_count(kAttention, "base", function.base.size(), model.rankers.size());
    FunctionForm& form = model.function;
    form.form = kAttention;
    form.numbers = {{"base", function.base},
                    {"dimensions", {static_cast<double>(function.dimensions)}},
                    {"rankers", function.rankers},
                    {"means", function.means},
                    {"deviations", function.deviations},
                    {"matrix", function.matrix},
                    {"offset", function.offset},
                    {"softmax", {function.softmax ? 1.0 : 0.0}},
                    {"limit", {function.limit}}};
    form.names = {{"features", function.features}};
    if (function.non_negative) form.numbers["non-negative"] = {1};
    if (function.known.empty()) return;
    for (const auto& [query, place] : function.known) {
        form.names["known"].push_back(query);
        std::vector<double>& places = form.numbers["known"];
        places.insert(places.end(), place.begin(), place.end());
    }
}

RankingFunction read_attention(const FusionModel& model) {
    const FunctionForm& form = model.function;
    AttentionFunction function;
    function.base = values_of(form.numbers, "base");
    check_count(kAttention, "base", function.base.size(), model.rankers.size());
    function.dimensions = single_count(form, "dimensions", kMostDimensions);
    function.rankers = values_of(form.numbers, "rankers");
    function.features = values_of(form.names, "features");
    function.means = values_of(form.numbers, "means");
    function.deviations = values_of(form.numbers, "deviations");
    function.matrix = values_of(form.numbers, "matrix");
    function.offset = values_of(form.numbers, "offset");
    function.softmax = single_count(form, "softmax", 1) == 1;
    function.limit = single_number(form, "limit");
    if (form.numbers.contains("non-negative")) {
        function.non_negative = single_count(form, "non-negative", 1) == 1;
    }
    const std::vector<std::string> queries = values_of(form.names, "known");
    const std::vector<double> places = values_of(form.numbers, "known");
    if (places.size() != queries.size() * function.dimensions) {
        throw InvalidArgument(fmt::format("function {}: {} numbers \"known\", expected {}",
                                          kAttention, places.size(),
                                          queries.size() * function.dimensions));
    }
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const auto place = places.begin() + static_cast<std::ptrdiff_t>(i * function.dimensions);
        function.known[queries[i]].assign(place,
                                          place + static_cast<std::ptrdiff_t>(function.dimensions));
    }
    validate(function);
    return function;
}

RankingFunction divide(LinearFunction function, const std::vector<double>& scales) {
    check_count(kLinear, "weights", function.weights.size(), scales.size());
    for (std::size_t k = 0; k < scales.size(); ++k) function.weights[k] /= scales[k];
    scale_to_sum_one(function.weights);
    return function;
}

// Every weight is a sum over its own row, so the row is divided; a softmax mixes them all.
RankingFunction divide(AttentionFunction function, const std::vector<double>& scales) {
    if (function.softmax) {
        throw InvalidArgument(
            "weights that are a softmax can't take in the scales of scores; train with another "
            "normaliser (min-max)");
    }
    check_count(kAttention, "base", function.base.size(), scales.size());
    for (std::size_t k = 0; k < scales.size(); ++k) {
        function.base[k] /= scales[k];
        for (std::size_t i = 0; i < function.dimensions; ++i) {
            function.rankers[k * function.dimensions + i] /= scales[k];
        }
    }
    return function;
}

struct Form {
    std::string name;
    Trait trait;
    RankingFunction (*read)(const FusionModel&);
};

const std::vector<Form>& forms() {
    static const std::vector<Form> all = {
        {kLinear, Trait::kWeights, read_linear},
        {kSignedLinear, Trait::kSignedWeights, read_signed_linear},
        {kAttention, Trait::kQueryWeights, read_attention},
        {kStepsForm, Trait::kNoWeights, read_steps},
        {kBordaForm, Trait::kNoWeights, read_borda},
        {kSemiSupervisedForm, Trait::kNoWeights, read_semi_supervised},
        {kForestForm, Trait::kNoWeights, read_forest},
        {kMethodForm, Trait::kNoWeights, read_method}};
    return all;
}

// Whether an attention keeps its weights from 0 up.
bool is_set(const FunctionForm& form, const std::string& flag) {
    return values_of(form.numbers, flag) == std::vector<double>{1};
}

}  // namespace

std::vector<std::string> function_forms() {
    std::vector<std::string> names;
    for (const Form& form : forms()) names.push_back(form.name);
    return names;
}

Trait trait_of_form(const std::string& name) {
    for (const Form& form : forms()) {
        if (form.name == name) return form.trait;
    }
    return Trait::kNoWeights;
}

Trait trait_of(const FunctionForm& form) {
    const Trait trait = trait_of_form(form.form);
    const bool any_sign =
        trait == Trait::kQueryWeights && !is_set(form, "non-negative") && !is_set(form, "softmax");
    return any_sign ? Trait::kSignedByQuery : trait;
}

RankingFunction model_function(const FusionModel& model) {
    if (model.normaliser.missing == MissingScore::kAbsent && model.function.form != kMethodForm) {
        throw InvalidArgument(fmt::format(
            "missing scores can be absent with a function of the form {}, and this is {}",
            kMethodForm, shown(model.function.form)));
    }
    for (const Form& form : forms()) {
        if (form.name == model.function.form) return form.read(model);
    }
    throw UnknownComponent("form of function", model.function.form, function_forms());
}

std::optional<FusionModel> one_pass_form(const FusionModel& model) {
    const FunctionForm& form = model.function;
    const Trait trait = trait_of(form);
    const bool has_own = trait != Trait::kNoWeights && trait != Trait::kSignedWeights;
    if (has_own || form.form == kMethodForm) return {};
    std::vector<double> weights = values_of(form.numbers, "linear");
    if (form.form == kForestForm && !weights.empty()) {
        const auto is_negative = [](double weight) { return weight < 0; };
        const bool of_raw = model.normaliser.normaliser == "none";
        if (!of_raw) return {};
        if (std::any_of(weights.begin(), weights.end(), is_negative)) weights.clear();
    }
    if (weights.empty()) {
        for (const RankerSpec& spec : model.rankers) weights.push_back(spec.weight);
        const bool are_set =
            std::any_of(weights.begin(), weights.end(), [](double w) { return w != 1; });
        if (!are_set) return {};
    }
    FusionModel linear = model;
    linear.normaliser = {};
    set_model_function(linear, LinearFunction{weights});
    linear.calibration = {values_of(form.numbers, kOnePassScores),
                          values_of(form.numbers, kOnePassProbabilities)};
    return linear;
}

void set_one_pass_calibration(FusionModel& model, const Calibration& calibration) {
    model.function.numbers[kOnePassScores] = calibration.scores;
    model.function.numbers[kOnePassProbabilities] = calibration.probabilities;
}

const std::vector<double>* fixed_weights(const RankingFunction& function) {
    const auto* linear = std::get_if<LinearFunction>(&function);
    return linear == nullptr ? nullptr : &linear->weights;
}

std::span<const std::string> query_features_of(const RankingFunction& function) {
    const auto* attention = std::get_if<AttentionFunction>(&function);
    if (attention == nullptr) return {};
    return attention->features;
}

namespace {

std::string words_of(const LinearFunction&) { return "weighted and added up"; }
std::string words_of(const AttentionFunction&) { return "weighted by query and added up"; }
std::string words_of(const SemiSupervisedFunction&) {
    return "weighted by these candidates and added up";
}
std::string words_of(const StepFunction& function) {
    return fmt::format("turned into steps and added up ({})", in_words(step_bounds(function)));
}
std::string words_of(const BordaFunction&) { return "counted as votes of several weighted sums"; }
std::string words_of(const ForestFunction&) { return "read by regression trees"; }
std::string words_of(const MethodFunction& function) { return "fused by " + function.method; }

std::vector<double> mix(std::vector<double> weights, const std::vector<double>& anchor,
                        double share) {
    for (std::size_t k = 0; k < anchor.size(); ++k) {
        weights[k] = share * weights[k] + (1 - share) * anchor[k];
    }
    return weights;
}

}  // namespace

std::string in_words(const RankingFunction& function) {
    return std::visit([](const auto& form) { return words_of(form); }, function);
}

bool goes_by_order(const RankingFunction& function) {
    const auto* method = std::get_if<MethodFunction>(&function);
    return method != nullptr && !fusion_methods().find(method->method).uses_scores;
}

std::vector<double> first_pass_weights(const FusionModel& model, const RankingFunction& function) {
    std::vector<double> weights;
    if (const auto* attention = std::get_if<AttentionFunction>(&function)) {
        weights = mean_weights(*attention);
        cut_below_zero(weights, std::vector<double>(weights.size(), 1));
    } else {
        for (const RankerSpec& spec : model.rankers) weights.push_back(spec.weight);
    }
    return weights;
}

RankingFunction mixed(const RankingFunction& function, const std::vector<double>& anchor,
                      double share) {
    if (const std::vector<double>* weights = fixed_weights(function)) {
        return LinearFunction{mix(*weights, anchor, share)};
    }
    const auto* attention = std::get_if<AttentionFunction>(&function);
    if (attention == nullptr) {
        throw InvalidArgument("weights of an anchor can be mixed with weights only");
    }
    // Nothing is left that follows from the query.
    if (share == 0) return LinearFunction{anchor};
    AttentionFunction result = *attention;  // The same for every query's weights.
    result.base = mix(std::move(result.base), anchor, share);
    for (double& part : result.rankers) part *= share;
    return result;
}

RankingFunction without_scales(const RankingFunction& function, const std::vector<double>& scales) {
    return std::visit([&](const auto& form) { return divide(form, scales); }, function);
}

void set_model_function(FusionModel& model, const RankingFunction& function) {
    for (RankerSpec& spec : model.rankers) spec.weight = 1;
    model.function = {};
    model.calibration = {};  // Of other scores.
    std::visit([&](const auto& form) { fill(form, model); }, function);
}

namespace {

// Of scores that no other query's compare with.
bool has_raw_scores(const FusionModel& model) {
    return model.normaliser.normaliser == "none" &&
           std::none_of(model.rankers.begin(), model.rankers.end(), [](const RankerSpec& spec) {
               return family_of(spec) == RankerFamily::kFeature;
           });
}

}  // namespace

std::vector<double> bound_weights(const RankingFunction& function) {
    std::vector<double> weights;
    if (const auto* linear = std::get_if<LinearFunction>(&function)) weights = linear->weights;
    if (const auto* forest = std::get_if<ForestFunction>(&function)) weights = forest->linear;
    for (double& weight : weights) weight = std::max(weight, 0.0);
    return weights;
}

std::vector<double> bound_weights(const FusionModel& model) {
    if (!has_raw_scores(model)) return {};
    return bound_weights(model_function(model));
}

bool can_be_calibrated(const FusionModel& model) {
    return !has_raw_scores(model) || !bound_weights(model).empty();
}

Calibration query_calibration(const Calibration& calibration, double unit) {
    Calibration result;
    for (std::size_t i = 0; i < calibration.scores.size(); ++i) {
        const double score = calibration.scores[i] * unit;
        if (!result.empty() && !(score > result.scores.back())) continue;
        result.scores.push_back(score);
        result.probabilities.push_back(calibration.probabilities[i]);
    }
    return result;
}

}  // namespace braid
