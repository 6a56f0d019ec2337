// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/attention.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/error.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

void check_size(const char* what, std::size_t size, std::size_t expected) {
    if (size == expected) return;
    throw InvalidArgument(fmt::format("query-dependent weights: {} numbers \"{}\", expected {}",
                                      size, what, expected));
}

void check_numbers(const char* what, std::span<const double> values) {
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
    const std::vector<double> z = standard_features(function, features);
    std::vector<double> result = function.offset;
    for (std::size_t i = 0; i < result.size(); ++i) {
        for (std::size_t f = 0; f < z.size(); ++f)
            result[i] += function.matrix[i * z.size() + f] * z[f];
    }
    return result;
}

// (11)
std::vector<double> weights_at(const AttentionFunction& function,
                               const std::vector<double>& place) {
    std::vector<double> weights = function.base;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        for (std::size_t i = 0; i < place.size(); ++i) {
            weights[k] += function.rankers[k * place.size() + i] * place[i];
        }
    }
    if (function.softmax) to_softmax(weights);
    if (function.non_negative) cut_below_zero(weights, function.base);
    return weights;
}

// What the features that are coordinates of one vector have in common: "topic:lsa:" of
// "topic:lsa:12"; "" of a feature that stands for itself.
std::string_view vector_of(const std::string& feature) {
    const std::size_t colon = feature.rfind(':');
    if (colon == std::string::npos || colon + 1 == feature.size()) return "";
    if (feature.find_first_not_of("0123456789", colon + 1) != std::string::npos) return "";
    return std::string_view(feature).substr(0, colon + 1);
}

// A vector's coordinates have one unit, the deviation of the one that differs most: those that
// hardly differ are mostly noise, which must not be blown up.
void share_units(AttentionFunction& function) {
    std::map<std::string_view, double> most;
    for (std::size_t f = 0; f < function.features.size(); ++f) {
        double& unit = most[vector_of(function.features[f])];
        unit = std::max(unit, function.deviations[f]);
    }
    for (std::size_t f = 0; f < function.features.size(); ++f) {
        const std::string_view vector = vector_of(function.features[f]);
        if (!vector.empty()) function.deviations[f] = most[vector];
    }
    for (double& deviation : function.deviations) {
        if (!(deviation > 0)) deviation = 1;
    }
}

}  // namespace

void describe_queries(const TrainingSet& set, AttentionFunction& function) {
    const std::size_t count = set.query_feature_names.size();
    function.features = set.query_feature_names;
    function.means.assign(count, 0);
    function.deviations.assign(count, 0);
    const auto queries = static_cast<double>(set.queries.size());
    for (std::size_t f = 0; f < count; ++f) {
        double largest = 0;  // Squares of huge features would leave the range of a double.
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            largest = std::max(largest, std::abs(set.query_features[q * count + f]));
        }
        const double unit = largest > 0 ? largest : 1;
        double mean = 0;
        double sum = 0;
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            mean += set.query_features[q * count + f] / unit / queries;
        }
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            const double step = set.query_features[q * count + f] / unit - mean;
            sum += step * step / queries;
        }
        const double deviation = std::sqrt(sum);
        function.means[f] = mean * unit;
        // What is the same for all says nothing: it must not be blown up by rounding.
        function.deviations[f] = deviation > 1e-12 ? deviation * unit : 0;
    }
    share_units(function);
}

std::vector<double> standard_features(const AttentionFunction& function,
                                      std::span<const double> features) {
    if (features.size() != function.features.size()) {
        throw InvalidArgument(fmt::format("query-dependent weights: {} features, expected {}",
                                          features.size(), function.features.size()));
    }
    std::vector<double> result;
    for (std::size_t f = 0; f < features.size(); ++f) {
        if (!std::isfinite(features[f])) {
            throw InvalidArgument(
                fmt::format("query-dependent weights: feature {} is {}, expected a finite number",
                            shown(function.features[f]), features[f]));
        }
        const double place = (features[f] - function.means[f]) / function.deviations[f];
        result.push_back(std::clamp(place, -function.limit, function.limit));
    }
    return result;
}

std::vector<double> attention_weights(const AttentionFunction& function, std::string_view query,
                                      std::span<const double> features) {
    return weights_at(function, embedding(function, query, features));
}

std::vector<double> mean_weights(const AttentionFunction& function) {
    return weights_at(function, function.offset);
}

void cut_below_zero(std::span<double> weights, std::span<const double> base) {
    bool any = false;
    for (double& weight : weights) {
        weight = std::max(weight, 0.0);
        any = any || weight > 0;
    }
    if (any) return;
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = std::max(base[k], 0.0);
}

void to_softmax(std::span<double> values) {
    if (values.empty()) return;
    const double largest = *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (double& value : values) {
        value = std::exp(value - largest);
        sum += value;
    }
    for (double& value : values) value /= sum;
}

void validate(const AttentionFunction& function) {
    const std::size_t dimensions = function.dimensions;
    const std::size_t features = function.features.size();
    if (function.base.empty()) throw InvalidArgument("query-dependent weights: no rankers");
    if (function.non_negative &&
        std::none_of(function.base.begin(), function.base.end(), [](double w) { return w > 0; })) {
        throw InvalidArgument(
            "query-dependent weights: no number of \"base\" is above 0, expected one where weights "
            "are not to be negative");
    }
    check_size("rankers", function.rankers.size(), function.base.size() * dimensions);
    check_size("means", function.means.size(), features);
    check_size("deviations", function.deviations.size(), features);
    check_size("matrix", function.matrix.size(), dimensions * features);
    check_size("offset", function.offset.size(), dimensions);
    check_numbers("base", function.base);
    check_numbers("rankers", function.rankers);
    check_numbers("means", function.means);
    check_numbers("deviations", function.deviations);
    check_numbers("matrix", function.matrix);
    check_numbers("offset", function.offset);
    for (const auto& [query, place] : function.known) {
        check_size("known", place.size(), dimensions);
        check_numbers("known", place);
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
