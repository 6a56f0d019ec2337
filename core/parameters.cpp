// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/parameters.h"

#include <cmath>

#include <fmt/format.h>

#include "braid/core/error.h"

namespace braid {

std::vector<double> resolve_parameters(const std::string& component,
                                       const std::vector<ParameterInfo>& infos,
                                       const ParameterMap& given) {
    std::vector<std::string> names;
    std::vector<double> values;
    for (const ParameterInfo& info : infos) {
        names.push_back(info.name);
        const auto found = given.find(info.name);
        const double value = found == given.end() ? info.default_value : found->second;
        if (!std::isfinite(value) || value < info.minimum || value > info.maximum) {
            throw InvalidArgument(fmt::format("{}: {} is {}, expected {} to {}", component,
                                              info.name, value, info.minimum, info.maximum));
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
