// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/nonlinear_forms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/error.h"

namespace braid {
namespace {

std::size_t whole(const FunctionForm& form, const std::string& name, double number, double most) {
    if (number >= 0 && number <= most && number == std::floor(number)) {
        return static_cast<std::size_t>(number);
    }
    throw InvalidArgument(
        fmt::format("function {}: \"{}\" has {}, expected a whole number from 0 "
                    "to {}",
                    form.form, name, number, most));
}

}  // namespace

void check_count(const std::string& form, const std::string& name, std::size_t got,
                 std::size_t expected) {
    if (got == expected) return;
    throw InvalidArgument(fmt::format("function {}: {} numbers \"{}\", expected {}, one a ranker",
                                      form, got, name, expected));
}

void check_finite(const std::string& form, const std::string& name,
                  const std::vector<double>& numbers) {
    for (const double number : numbers) {
        if (std::isfinite(number)) continue;
        throw InvalidArgument(
            fmt::format("function {}: a number of \"{}\" is {}, expected a finite "
                        "one",
                        form, name, number));
    }
}

std::vector<double> finite_numbers(const FunctionForm& form, const std::string& name) {
    std::vector<double> numbers = values_of(form.numbers, name);
    check_finite(form.form, name, numbers);
    return numbers;
}

double single_number(const FunctionForm& form, const std::string& name) {
    const std::vector<double> values = values_of(form.numbers, name);
    if (values.size() == 1) return values[0];
    throw InvalidArgument(fmt::format("function {}: {} numbers \"{}\", expected one", form.form,
                                      values.size(), name));
}

std::size_t single_count(const FunctionForm& form, const std::string& name, double most) {
    return whole(form, name, single_number(form, name), most);
}

std::vector<std::size_t> counts(const FunctionForm& form, const std::string& name, double most) {
    std::vector<std::size_t> result;
    for (const double number : values_of(form.numbers, name)) {
        result.push_back(whole(form, name, number, most));
    }
    return result;
}

namespace {

constexpr double kMostGraphNeighbours = 1e6;
constexpr double kMostNodes = 1e9;
constexpr const char* kMean = "mean";
constexpr const char* kMedian = "median";
constexpr const char* kGraph = "graph";
constexpr const char* kScores = "scores";
constexpr const char* kTopics = "topics";
constexpr const char* kStandardised = "standardised";

std::vector<double> as_reals(const std::vector<std::uint32_t>& counts) {
    return {counts.begin(), counts.end()};
}

std::vector<std::uint32_t> places(const FunctionForm& form, const std::string& name) {
    std::vector<std::uint32_t> result;
    for (const std::size_t count : counts(form, name, kMostNodes)) {
        result.push_back(static_cast<std::uint32_t>(count));
    }
    return result;
}

}  // namespace

void fill(const StepFunction& function, FusionModel& model) {
    check_count(kStepsForm, "rankers", function.width, model.rankers.size());
    check_finite(kStepsForm, "thresholds", function.thresholds);
    check_finite(kStepsForm, "rises", function.rises);
    model.function = {.form = kStepsForm,
                      .numbers = {{"rankers", {function.rankers.begin(), function.rankers.end()}},
                                  {"thresholds", function.thresholds},
                                  {"rises", function.rises}}};
}

RankingFunction read_steps(const FusionModel& model) {
    const FunctionForm& form = model.function;
    StepFunction function{.width = model.rankers.size()};
    function.thresholds = finite_numbers(form, "thresholds");
    function.rises = finite_numbers(form, "rises");
    function.rankers = counts(form, "rankers", static_cast<double>(function.width) - 1);
    const std::size_t steps = function.rankers.size();
    if (function.thresholds.size() != steps || function.rises.size() != steps) {
        throw InvalidArgument(fmt::format(
            "function {}: {} \"rankers\", {} \"thresholds\" and {} \"rises\", expected as many "
            "of each",
            kStepsForm, steps, function.thresholds.size(), function.rises.size()));
    }
    for (std::size_t i = 1; i < steps; ++i) {
        const bool in_order = function.rankers[i - 1] < function.rankers[i] ||
                              (function.rankers[i - 1] == function.rankers[i] &&
                               function.thresholds[i - 1] < function.thresholds[i]);
        if (in_order) continue;
        throw InvalidArgument(
            fmt::format("function {}: step {} is not behind step {} by ranker and threshold",
                        kStepsForm, i + 1, i));
    }
    return function;
}

void fill(const BordaFunction& function, FusionModel& model) {
    std::vector<double> weights;
    for (const std::vector<double>& one : function.functions) {
        check_count(kBordaForm, "weights", one.size(), model.rankers.size());
        weights.insert(weights.end(), one.begin(), one.end());
    }
    check_finite(kBordaForm, "weights", weights);
    model.function = {.form = kBordaForm, .numbers = {{"weights", weights}}};
}

RankingFunction read_borda(const FusionModel& model) {
    const std::vector<double> weights = finite_numbers(model.function, "weights");
    const std::size_t width = model.rankers.size();
    if (width == 0 || weights.empty() || weights.size() % width != 0) {
        throw InvalidArgument(
            fmt::format("function {}: {} numbers \"weights\", expected {} for each function",
                        kBordaForm, weights.size(), width));
    }
    BordaFunction function;
    for (auto from = weights.begin(); from != weights.end();) {
        const auto to = from + static_cast<std::ptrdiff_t>(width);
        function.functions.emplace_back(from, to);
        from = to;
    }
    return function;
}

// x / scale is above a threshold where x is above threshold * scale.
RankingFunction divide(StepFunction function, const std::vector<double>& scales) {
    check_count(kStepsForm, "rankers", function.width, scales.size());
    for (std::size_t i = 0; i < function.rankers.size(); ++i) {
        function.thresholds[i] *= scales[function.rankers[i]];
    }
    return function;
}

RankingFunction divide(BordaFunction function, const std::vector<double>& scales) {
    for (std::vector<double>& weights : function.functions) {
        check_count(kBordaForm, "weights", weights.size(), scales.size());
        for (std::size_t k = 0; k < scales.size(); ++k) weights[k] /= scales[k];
    }
    return function;
}

void fill(const SemiSupervisedFunction& function, FusionModel& model) {
    validate(function);
    check_count(kSemiSupervisedForm, "base", function.base.size(), model.rankers.size());
    model.function = {.form = kSemiSupervisedForm,
                      .numbers = {{"base", function.base},
                                  {"margins", function.margins},
                                  {"alpha", function.alpha},
                                  {"eta", function.eta},
                                  {"cost", {function.cost}},
                                  {"gamma", {function.gamma}},
                                  {"neighbours", {static_cast<double>(function.neighbours)}}}};
    if (function.by_places) model.function.names = {{kGraph, {kTopics}}};
}

RankingFunction read_semi_supervised(const FusionModel& model) {
    const FunctionForm& form = model.function;
    SemiSupervisedFunction function;
    function.base = values_of(form.numbers, "base");
    check_count(kSemiSupervisedForm, "base", function.base.size(), model.rankers.size());
    function.margins = values_of(form.numbers, "margins");
    function.alpha = values_of(form.numbers, "alpha");
    function.eta = values_of(form.numbers, "eta");
    function.cost = single_number(form, "cost");
    function.gamma = single_number(form, "gamma");
    function.neighbours = single_count(form, "neighbours", kMostGraphNeighbours);
    const std::vector<std::string> graph = values_of(form.names, kGraph);
    function.by_places = graph == std::vector<std::string>{kTopics};
    if (!graph.empty() && !function.by_places && graph != std::vector<std::string>{kScores}) {
        throw InvalidArgument(fmt::format("function {}: graph \"{}\", expected {} or {}",
                                          kSemiSupervisedForm, graph[0], kScores, kTopics));
    }
    validate(function);
    return function;
}

RankingFunction divide(const SemiSupervisedFunction&, const std::vector<double>&) {
    throw InvalidArgument(
        "which candidates are neighbours depends on the scales of scores, which can't become part "
        "of the function; train with a normaliser (none for scores as they are)");
}

void fill(const ForestFunction& function, FusionModel& model) {
    validate(function);
    check_count(kForestForm, "rankers", function.rankers, model.rankers.size());
    FunctionForm& form = model.function;
    form = {.form = kForestForm};
    for (const TreeNode& node : function.nodes) {
        form.numbers["ranker"].push_back(node.ranker);
        form.numbers["threshold"].push_back(node.threshold);
        form.numbers["below"].push_back(node.below);
        form.numbers["above"].push_back(node.above);
        form.numbers["value"].push_back(node.value);
    }
    form.numbers["roots"] = as_reals(function.roots);
    form.numbers["weights"] = function.weights;
    if (!function.linear.empty()) {
        form.numbers["linear"] = function.linear;
        const auto is_negative = [](double weight) { return weight < 0; };
        const bool ranks_alone =
            std::none_of(function.linear.begin(), function.linear.end(), is_negative) &&
            std::any_of(function.linear.begin(), function.linear.end(),
                        [](double weight) { return weight > 0; });
        for (std::size_t k = 0; ranks_alone && k < function.linear.size(); ++k) {
            model.rankers[k].weight = function.linear[k];
        }
    }
    const bool is_median = function.combination == ForestFunction::Combination::kMedian;
    form.names = {{"combination", {is_median ? kMedian : kMean}}};
    if (function.standardised) form.names[kScores] = {kStandardised};
}

RankingFunction read_forest(const FusionModel& model) {
    const FunctionForm& form = model.function;
    ForestFunction function;
    function.rankers = model.rankers.size();
    const std::vector<std::uint32_t> rankers = places(form, "ranker");
    const std::vector<double> thresholds = values_of(form.numbers, "threshold");
    const std::vector<std::uint32_t> below = places(form, "below");
    const std::vector<std::uint32_t> above = places(form, "above");
    const std::vector<double> values = values_of(form.numbers, "value");
    const std::size_t nodes = rankers.size();
    if (thresholds.size() != nodes || below.size() != nodes || above.size() != nodes ||
        values.size() != nodes) {
        throw InvalidArgument(fmt::format(
            "function {}: {} \"ranker\", {} \"threshold\", {} \"below\", {} \"above\" and {} "
            "\"value\", expected as many of each",
            kForestForm, nodes, thresholds.size(), below.size(), above.size(), values.size()));
    }
    for (std::size_t i = 0; i < nodes; ++i) {
        function.nodes.push_back({rankers[i], thresholds[i], below[i], above[i], values[i]});
    }
    function.roots = places(form, "roots");
    function.weights = values_of(form.numbers, "weights");
    function.linear = values_of(form.numbers, "linear");
    const std::vector<std::string> combination = values_of(form.names, "combination");
    if (combination.size() != 1 || (combination[0] != kMean && combination[0] != kMedian)) {
        throw InvalidArgument(fmt::format("function {}: combination \"{}\", expected {} or {}",
                                          kForestForm, combination.empty() ? "" : combination[0],
                                          kMean, kMedian));
    }
    const std::vector<std::string> scores = values_of(form.names, kScores);
    function.standardised = scores == std::vector<std::string>{kStandardised};
    if (!scores.empty() && !function.standardised) {
        throw InvalidArgument(fmt::format("function {}: scores \"{}\", expected {}", kForestForm,
                                          scores[0], kStandardised));
    }
    if (combination[0] == kMedian) function.combination = ForestFunction::Combination::kMedian;
    validate(function);
    return function;
}

// As for steps. Standardised scores have no scale.
RankingFunction divide(ForestFunction function, const std::vector<double>& scales) {
    check_count(kForestForm, "rankers", function.rankers, scales.size());
    for (TreeNode& node : function.nodes) {
        if (!function.standardised) node.threshold *= scales[node.ranker];
    }
    for (std::size_t k = 0; k < function.linear.size(); ++k) function.linear[k] /= scales[k];
    return function;
}

namespace {

// Calls `take` with each ranker that has steps, and begin and end of them.
template <typename Take>
void each_ranker(const StepFunction& function, const Take& take) {
    for (std::size_t begin = 0; begin < function.rankers.size();) {
        std::size_t end = begin;
        while (end < function.rankers.size() && function.rankers[end] == function.rankers[begin]) {
            ++end;
        }
        take(function.rankers[begin], begin, end);
        begin = end;
    }
}

std::string count(std::size_t rankers, const std::string& one, const std::string& many) {
    return rankers == 1 ? "1 " + one : fmt::format("{} {}", rankers, many);
}

}  // namespace

StepBounds step_bounds(const StepFunction& function) {
    StepBounds bounds;
    each_ranker(function, [&](std::size_t, std::size_t begin, std::size_t end) {
        bool rises = false;
        bool falls = false;
        double height = 0;
        double least = 0;
        double most = 0;
        for (std::size_t i = begin; i < end; ++i) {
            rises = rises || function.rises[i] > 0;
            falls = falls || function.rises[i] < 0;
            height += function.rises[i];
            least = std::min(least, height);
            most = std::max(most, height);
        }
        ++(rises && falls ? bounds.mixed : falls ? bounds.falling : bounds.rising);
        bounds.least += least;
        bounds.most += most;
    });
    return bounds;
}

double step_bound(const StepFunction& function, std::span<const double> scores) {
    if (scores.size() != function.width) {
        throw InvalidArgument(
            fmt::format("{} scores for a function of {} rankers, expected as many", scores.size(),
                        function.width));
    }
    double bound = 0;
    each_ranker(function, [&](std::size_t ranker, std::size_t begin, std::size_t end) {
        double height = 0;
        double most = 0;
        for (std::size_t i = begin; i < end && scores[ranker] > function.thresholds[i]; ++i) {
            height += function.rises[i];
            most = std::max(most, height);
        }
        bound += most;
    });
    return bound;
}

std::string in_words(const StepBounds& bounds) {
    std::vector<std::string> parts;
    if (bounds.rising > 0) parts.push_back(count(bounds.rising, "ranker rises", "rankers rise"));
    if (bounds.falling > 0) parts.push_back(count(bounds.falling, "falls", "fall"));
    if (bounds.mixed > 0) parts.push_back(count(bounds.mixed, "does both", "do both"));
    if (parts.empty()) return "no steps";
    return fmt::format("{}; from {:.3g} to {:.3g}", fmt::join(parts, ", "), bounds.least,
                       bounds.most);
}

}  // namespace braid
