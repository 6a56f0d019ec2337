// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/value_rankers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid {
namespace {

constexpr double kSecondsPerDay = 86400;

ParameterInfo slot() {
    return {kSlotParameter,
            kNoSlotParameter,
            kNoSlotParameter,
            4294967294,
            "value slot, if the model names no field",
            kWhole};
}

ParameterInfo maximum() {
    return {"maximum", 1e9, 1e-9, 1e15,
            "larger numbers count as this, which bounds the score if slots hold text"};
}

ValueRankerInfo logarithm() {
    return {
        .summary = "Logarithm of a number in a value slot: downloads, links, citations",
        .formula = "log(1 + min(x, maximum) / scale), x the slot's number; 0 below 0 or without",
        .function = ValueFunction::kLog,
        .parameters = {slot(),
                       {"scale", 1, 1e-9, 1e15, "numbers well below this count about linearly"},
                       maximum()}};
}

ValueRankerInfo linear() {
    return {.summary = "A number in a value slot as it is: a rating, a share",
            .formula = "min(x, maximum), x the slot's number; 0 below 0 or without",
            .function = ValueFunction::kLinear,
            .parameters = {slot(), maximum()}};
}

ValueRankerInfo reciprocal() {
    return {.summary = "Reciprocal of a number in a value slot: a position, a depth, a price",
            .formula = "scale / (scale + x), x the slot's number, at least 0; 0 without one",
            .function = ValueFunction::kReciprocal,
            .parameters = {slot(), {"scale", 1, 1e-9, 1e15, "the number that scores 1/2"}}};
}

ValueRankerInfo decay() {
    return {
        .summary = "Recency: halves with each half-life since the date in a value slot",
        .formula =
            "2^(-age / half_life), age = now less the slot's date in days, at least 0; 0 without "
            "a date",
        .function = ValueFunction::kDecay,
        .parameters = {slot(),
                       {"half_life", 365, 1e-6, 1e9, "days in which the score halves"},
                       {"now", 0, 0, 1e12,
                        "seconds since 1970 from which ages count; 0: the time of the query"}}};
}

}  // namespace

const LazyRegistry<ValueRankerInfo>& value_rankers() {
    static const LazyRegistry<ValueRankerInfo> registry("ranker", {{"value-log", logarithm},
                                                                   {"value-linear", linear},
                                                                   {"value-reciprocal", reciprocal},
                                                                   {"value-decay", decay}});
    return registry;
}

ValueScorer::ValueScorer(const std::string& ranker, const ParameterMap& parameters, double now) {
    const ValueRankerInfo& info = value_rankers().find(ranker);
    function_ = info.function;
    if (!std::isfinite(now)) {
        throw InvalidArgument(fmt::format("{}: now is {}, expected a time", ranker, now));
    }
    const std::vector<double> values = resolve_parameters(ranker, info.parameters, parameters);
    now_ = now;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string& name = info.parameters[i].name;
        if (name == "scale") scale_ = values[i];
        if (name == "half_life") scale_ = values[i] * kSecondsPerDay;
        if (name == "maximum") maximum_ = values[i];
        if (name == "now" && values[i] != 0) now_ = values[i];
    }
}

double ValueScorer::score(double number) const noexcept {
    if (std::isnan(number)) return 0;
    switch (function_) {
        case ValueFunction::kLinear:
            return std::clamp(number, 0.0, maximum_);
        case ValueFunction::kLog:
            return std::log1p(std::clamp(number, 0.0, maximum_) / scale_);
        case ValueFunction::kReciprocal:
            return scale_ / (scale_ + std::max(number, 0.0));
        case ValueFunction::kDecay:
            break;
    }
    return std::exp2(-std::max(now_ - number, 0.0) / scale_);
}

double ValueScorer::upper_bound(double lowest, double highest) const noexcept {
    return std::max(score(lowest), score(highest));
}

}  // namespace braid
