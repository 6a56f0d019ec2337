// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/choices.h"

#include <algorithm>

#include "braid/core/base/error.h"

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

}  // namespace braid
