// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/settings/settings.h"

namespace braid {

/// How a database was indexed is kept in it (metadata key kIndexSettingsKey; bytes in
/// docs/formats.md), with the stop words themselves rather than their file's path. `batch` is no
/// property of the database and is not kept.

/// Takes effect at the next commit. Throws Error where the stop words can't be read.
BRAID_API void store_index_settings(Xapian::WritableDatabase& database,
                                    const IndexSettings& settings);

/// Nothing for a database that Braid hasn't written. Throws FormatError, which names the key, for
/// a value that is truncated, foreign or of a newer version.
BRAID_API std::optional<IndexSettings> load_index_settings(const Xapian::Database& database);

/// The bytes that are kept, and back. `where` says in messages where the bytes come from.
BRAID_API std::string serialise(const IndexSettings& settings);
BRAID_API IndexSettings parse_index_settings(std::string_view bytes, const std::string& where);

}  // namespace braid
