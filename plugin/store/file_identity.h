// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "braid/core/base/export.h"

namespace braid {

/// Tells a file or folder from one that was put in its place. All 0 where there is none. Not
/// installed.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t changed = 0;  ///< Nanoseconds since 1970; 0 for a folder.

    bool operator==(const FileIdentity&) const = default;
};

/// Costs about a microsecond.
BRAID_API FileIdentity file_identity(const std::string& path);

}  // namespace braid
