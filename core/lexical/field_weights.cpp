// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/field_weights.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "braid/core/base/text.h"

namespace braid {
namespace {

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

}  // namespace braid
