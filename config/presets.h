// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/base/export.h"
#include "braid/core/base/registry.h"

namespace braid {

/// A configuration that comes with Braid; a part of the library, so that nothing is looked for
/// when a program runs. The same texts are installed with the documentation.
struct Preset {
    std::string name;     ///< What `--config` takes: "mail".
    std::string summary;  ///< One line.
    std::string yaml;
};

/// A new one is a file in config/presets/ and a line in config/CMakeLists.txt.
BRAID_API const Registry<Preset>& presets();

}  // namespace braid
