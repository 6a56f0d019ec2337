// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"

namespace braid {

/// A configuration that Braid ships. It is part of the library, so programs look up no files at run
/// time. The same texts are installed with the documentation.
struct Preset {
    std::string name;     ///< Its name for `--config`: "mail".
    std::string summary;  ///< One line.
    std::string yaml;
};

/// A new one is a file in config/presets/ and a line in config/CMakeLists.txt.
const Registry<Preset>& presets();

namespace yaml {

struct PresetText {
    std::string name;
    std::string text;
};

/// The files of config/presets/; the build generates the definition.
std::vector<PresetText> preset_texts();

}  // namespace yaml

}  // namespace braid
