// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/base/export.h"
#include "braid/core/base/registry.h"

namespace braid {

/// A configuration that Braid ships. It is part of the library, so programs look up no files at run
/// time. The same texts are installed with the documentation.
struct Preset {
    std::string name;     ///< Its name for `--config`: "mail".
    std::string summary;  ///< One line.
    std::string yaml;
};

/// A new one is a file in config/presets/ and a line in config/CMakeLists.txt.
BRAID_API const Registry<Preset>& presets();

}  // namespace braid
