// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/parameters.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid {

ChoiceMap resolve_choices(const std::string& component, const std::vector<ChoiceInfo>& infos,
                          const ChoiceMap& given) {
    ChoiceMap resolved;
    std::vector<std::string> names;
    for (const ChoiceInfo& info : infos) {
        names.push_back(info.name);
        const auto found = given.find(info.name);
        const std::string& word = found == given.end() ? info.default_value : found->second;
        if (std::find(info.values.begin(), info.values.end(), word) == info.values.end()) {
            throw UnknownComponent(info.name + " of " + component, word, info.values);
        }
        resolved[info.name] = word;
    }
    for (const auto& [name, word] : given) {
        if (resolved.count(name) == 0) {
            throw UnknownComponent("choice of " + component, name, names);
        }
    }
    return resolved;
}

std::string why_not_allowed(const ParameterInfo& info, double value) {
    const bool is_in_range = std::isfinite(value) && value >= info.minimum && value <= info.maximum;
    if (is_in_range && (!info.is_whole || value == std::floor(value))) return "";
    return fmt::format("{}, expected {}{} to {}", value,
                       info.is_whole ? "a whole number from " : "", info.minimum, info.maximum);
}

std::vector<double> resolve_parameters(const std::string& component,
                                       const std::vector<ParameterInfo>& infos,
                                       const ParameterMap& given) {
    std::vector<std::string> names;
    std::vector<double> values;
    for (const ParameterInfo& info : infos) {
        names.push_back(info.name);
        const auto found = given.find(info.name);
        const double value = found == given.end() ? info.default_value : found->second;
        const std::string problem = why_not_allowed(info, value);
        if (!problem.empty()) {
            throw InvalidArgument(fmt::format("{}: {} is {}", component, info.name, problem));
        }
        values.push_back(value);
    }
    for (const auto& [name, value] : given) {
        bool known = false;
        for (const std::string& other : names) known = known || other == name;
        if (!known) throw UnknownComponent("parameter of " + component, name, names);
    }
    return values;
}

}  // namespace braid
