// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/model_function.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/error.h"

// One pair of functions a form: `fill` writes it, an entry of `readers` reads it.

namespace braid {
namespace {

constexpr const char* kLinear = "linear";
constexpr const char* kSignedLinear = "signed-linear";  // Weights below 0 among them.

void check_count(const std::string& form, const std::string& name, std::size_t got,
                 std::size_t expected) {
    if (got == expected) return;
    throw InvalidArgument(fmt::format("function {}: {} numbers \"{}\", expected {}, one a ranker",
                                      form, got, name, expected));
}

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
    const auto found = model.function.numbers.find("weights");
    const bool is_there = found != model.function.numbers.end();
    check_count(kSignedLinear, "weights", is_there ? found->second.size() : 0,
                model.rankers.size());
    return LinearFunction{found->second};
}

struct Reader {
    std::string form;
    RankingFunction (*read)(const FusionModel&);
};

const std::vector<Reader>& readers() {
    static const std::vector<Reader> all = {{kLinear, read_linear},
                                            {kSignedLinear, read_signed_linear}};
    return all;
}

}  // namespace

std::vector<std::string> function_forms() {
    std::vector<std::string> names;
    for (const Reader& reader : readers()) names.push_back(reader.form);
    return names;
}

RankingFunction model_function(const FusionModel& model) {
    for (const Reader& reader : readers()) {
        if (reader.form == model.function.form) return reader.read(model);
    }
    throw UnknownComponent("form of function", model.function.form, function_forms());
}

void set_model_function(FusionModel& model, const RankingFunction& function) {
    for (RankerSpec& spec : model.rankers) spec.weight = 1;
    model.function = {};
    std::visit([&](const auto& form) { fill(form, model); }, function);
}

}  // namespace braid
