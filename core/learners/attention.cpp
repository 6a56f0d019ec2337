// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/attention.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/text.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

void check_size(const char* what, std::size_t size, std::size_t expected) {
    if (size == expected) return;
    throw InvalidArgument(fmt::format("query-dependent weights: {} numbers \"{}\", expected {}",
                                      size, what, expected));
}

void check_finite(const char* what, std::span<const double> values) {
    for (const double value : values) {
        if (std::isfinite(value)) continue;
        throw InvalidArgument(fmt::format(
            "query-dependent weights: \"{}\" holds {}, expected finite numbers", what, value));
    }
}

// (10)
std::vector<double> embedding(const AttentionFunction& function, std::string_view query,
                              std::span<const double> features) {
    const auto found = function.known.find(query);
    if (found != function.known.end()) return found->second;
    const std::size_t count = function.features.size();
    if (features.size() != count) {
        throw InvalidArgument(fmt::format("query {}: {} features, expected {}", shown(query),
                                          features.size(), count));
    }
    std::vector<double> result = function.offset;
    for (std::size_t f = 0; f < count; ++f) {
        if (!std::isfinite(features[f])) {
            throw InvalidArgument(
                fmt::format("query {}: feature {} is {}, expected a finite number", shown(query),
                            shown(function.features[f]), features[f]));
        }
        const double place = (features[f] - function.means[f]) / function.deviations[f];
        const double z = std::clamp(place, -function.limit, function.limit);
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] += function.matrix[i * count + f] * z;
        }
    }
    return result;
}

}  // namespace

std::vector<double> attention_weights(const AttentionFunction& function, std::string_view query,
                                      std::span<const double> features) {
    const std::vector<double> place = embedding(function, query, features);
    std::vector<double> weights = function.base;
    for (std::size_t k = 0; k < weights.size(); ++k) {  // (11)
        for (std::size_t i = 0; i < place.size(); ++i) {
            weights[k] += function.rankers[k * place.size() + i] * place[i];
        }
    }
    return weights;
}

void validate(const AttentionFunction& function) {
    const std::size_t dimensions = function.dimensions;
    const std::size_t features = function.features.size();
    if (function.base.empty()) throw InvalidArgument("query-dependent weights: no rankers");
    check_size("rankers", function.rankers.size(), function.base.size() * dimensions);
    check_size("means", function.means.size(), features);
    check_size("deviations", function.deviations.size(), features);
    check_size("matrix", function.matrix.size(), dimensions * features);
    check_size("offset", function.offset.size(), dimensions);
    check_finite("base", function.base);
    check_finite("rankers", function.rankers);
    check_finite("means", function.means);
    check_finite("deviations", function.deviations);
    check_finite("matrix", function.matrix);
    check_finite("offset", function.offset);
    for (const auto& [query, place] : function.known) {
        check_size("known", place.size(), dimensions);
        check_finite("known", place);
    }
    for (const double deviation : function.deviations) {
        if (deviation > 0) continue;
        throw InvalidArgument(fmt::format(
            "query-dependent weights: a deviation is {}, expected one above 0", deviation));
    }
    if (function.limit > 0 && std::isfinite(function.limit)) return;
    throw InvalidArgument(fmt::format(
        "query-dependent weights: the limit is {}, expected a number above 0", function.limit));
}

}  // namespace braid
