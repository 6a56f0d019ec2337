// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

namespace braid::yaml {

struct PresetText {
    std::string name;
    std::string text;
};

/// The files of config/presets/; the build generates the definition.
std::vector<PresetText> preset_texts();

}  // namespace braid::yaml
