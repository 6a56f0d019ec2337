// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/settings/settings.h"
#include "braid/plugin/store/document_names.h"

namespace braid {

/// How to make queries for a database: the settings kept in it or, where another program wrote it,
/// the defaults, with stemming left out if the database has no stems (terms with prefix Z).
/// Throws FormatError as load_index_settings does.
BRAID_API IndexSettings search_conventions(const Xapian::Database& database);

/// Where documents' names are: as kept in the database, else the terms with prefix Q if there are
/// such, else the document's number.
BRAID_API DocumentNameSource name_convention(const Xapian::Database& database);

/// What tells one state of a shard from another. Not installed.
struct ShardState {
    std::string uuid;
    std::uint64_t revision = 0;
};

/// Nothing for a shard that has no revision: remote, in memory, or several.
std::optional<ShardState> state_of(const Xapian::Database& shard);

}  // namespace braid
