// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"
#include "braid/settings.h"

namespace braid {

/// Settings for making queries: those kept in the database or, if another program wrote it, the
/// defaults, without stemming if the database has no stems (terms with prefix Z).
/// Throws FormatError as load_index_settings does.
IndexSettings search_conventions(const Xapian::Database& database);

/// Source of document names: as kept in the database, else the terms with prefix Q if any, else the
/// docid.
BRAID_API DocumentNameSource name_convention(const Xapian::Database& database);

/// Identifies one state of a shard.
struct ShardState {
    std::string uuid;
    std::uint64_t revision = 0;
};

/// Empty for a shard without a revision: remote, in memory, or several.
std::optional<ShardState> state_of(const Xapian::Database& shard);

}  // namespace braid
