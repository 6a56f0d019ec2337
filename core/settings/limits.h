// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "braid/core/base/registry.h"
#include "braid/settings.h"

namespace braid {

/// A registry entry, by which files and the command line set a limit.
struct LimitInfo {
    std::string name;     ///< "line"
    std::string summary;  ///< One line for help texts.
    std::size_t Limits::*value;
    std::size_t minimum;
    std::size_t maximum;
};

/// All limits. A new one is a member of Limits and a line in core/settings/limits.cpp.
BRAID_API const Registry<LimitInfo>& limit_infos();

}  // namespace braid
