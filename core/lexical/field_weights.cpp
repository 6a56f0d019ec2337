// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/field_weights.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "braid/core/base/text.h"

namespace braid {
namespace {

constexpr std::array kTriedWeights = {0.5, 1.0, 2.0, 5.0, 10.0};

double weight_in(const std::string& part, const std::string& digits, double least) {
    double weight = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, weight);
    const bool is_number = error == std::errc() && end == last;
    if (is_number && weight >= least && weight <= kMostFieldWeight && (weight > 0 || least == 0)) {
        return weight;
    }
    throw InvalidArgument(
        fmt::format("found {}, expected FIELD^WEIGHT with a weight {} 0, at most "
                    "{}, as in name^5",
                    shown(part), least == 0 ? "from" : "above", kMostFieldWeight));
}

}  // namespace

FieldWeights parse_field_weights(const std::string& text) {
    FieldWeights weights;
    std::istringstream parts(text);
    std::vector<std::string> seen;
    for (std::string part; parts >> part;) {
        const std::size_t sign = part.find('^');
        const std::string field = part.substr(0, sign);
        const bool is_whole = field == "*";
        const double weight = sign == std::string::npos
                                  ? 1
                                  : weight_in(part, part.substr(sign + 1), is_whole ? 0 : 1e-9);
        if (field.empty() || std::find(seen.begin(), seen.end(), field) != seen.end()) {
            throw InvalidArgument(
                fmt::format("found {} in {}, expected each field once, as in name^5 title^2",
                            shown(part), shown(text)));
        }
        seen.push_back(field);
        if (is_whole) {
            weights.whole = weight;
        } else {
            weights.fields.push_back({field, weight});
        }
    }
    if (weights.fields.empty()) {
        throw InvalidArgument(fmt::format(
            "found {}, expected fields with weights, as in name^5 title^2", shown(text)));
    }
    return weights;
}

std::string field_weights_text(const FieldWeights& weights) {
    std::string text;
    for (const FieldWeight& field : weights.fields) {
        text += fmt::format("{}{}^{}", text.empty() ? "" : " ", field.field, field.weight);
    }
    return weights.whole == 1 ? text : fmt::format("{} *^{}", text, weights.whole);
}

std::vector<std::string> field_weights_to_try(const std::string& text) {
    const FieldWeights given = parse_field_weights(text);
    std::vector<std::string> tried;
    const auto add = [&](const FieldWeights& weights) {
        if (!(weights == given)) tried.push_back(field_weights_text(weights));
    };
    const bool combines = given.fields.size() <= 2;
    for (std::size_t k = 0; k < (combines ? 1 : given.fields.size()); ++k) {
        FieldWeights weights = given;
        for (const double weight : kTriedWeights) {
            weights.fields[k].weight = weight;
            if (!combines || given.fields.size() == 1) {
                add(weights);
                continue;
            }
            for (const double other : kTriedWeights) {
                weights.fields[1].weight = other;
                add(weights);
            }
        }
    }
    return tried;
}

}  // namespace braid
