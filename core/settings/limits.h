// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "braid/core/base/export.h"
#include "braid/core/base/registry.h"

namespace braid {

/// Limits on one input, so that a hostile or broken one fails with a message instead of exhausting
/// time or memory. Defaults are far above real needs. Each reader and search documents the limits
/// it checks; docs/guide/limits.md lists them.
struct Limits {
    std::size_t line = std::size_t{16} << 20;     ///< Bytes in a line of a text file.
    std::size_t record = std::size_t{64} << 20;   ///< Bytes in a document to index.
    std::size_t words = 10'000;                   ///< Words in a query.
    std::size_t nesting = 1'000;                  ///< Depth of nested operators in a query.
    std::size_t expansion = 1'000;                ///< Terms that a wildcard expands to.
    std::size_t dimensions = 65'536;              ///< Components of a vector that is read.
    std::size_t topics = 10'000;                  ///< Dimensions of a topic model that is learned.
    std::size_t memory = std::size_t{512} << 20;  ///< Bytes of tables kept for searches.
    std::size_t time = 0;                         ///< Milliseconds of a search; 0: no limit.

    bool operator==(const Limits&) const = default;
};

/// A registry entry, by which files and the command line set a limit.
struct LimitInfo {
    std::string name;     ///< "line"
    std::string summary;  ///< One line for help texts.
    std::size_t Limits::*value;
    std::size_t minimum;
    std::size_t maximum;
};

/// All limits. A new one is a member above and a line in core/settings/limits.cpp.
BRAID_API const Registry<LimitInfo>& limit_infos();

}  // namespace braid
