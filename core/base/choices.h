// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// A parameter whose values are words.
struct ChoiceInfo {
    std::string name;
    std::string default_value;
    std::vector<std::string> values;
    std::string summary;
};

/// Words for a component's choices by name; those left out have their defaults.
using ChoiceMap = std::map<std::string, std::string>;

/// The word of every choice of `infos`. Throws UnknownComponent, naming `component`, for a word
/// that is not allowed and for a name that is no choice of it.
BRAID_API ChoiceMap resolve_choices(const std::string& component,
                                    const std::vector<ChoiceInfo>& infos, const ChoiceMap& given);

}  // namespace braid
