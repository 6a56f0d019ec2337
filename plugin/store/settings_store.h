// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/settings/settings.h"

namespace braid {

/// Stores a database's index settings in it (metadata key kIndexSettingsKey; bytes in
/// docs/formats.md), with the stop words rather than their file's path. `batch` isn't a property of
/// the database and isn't stored.

/// Takes effect at the next commit. Throws Error where the stop words can't be read.
BRAID_API void store_index_settings(Xapian::WritableDatabase& database,
                                    const IndexSettings& settings);

/// Empty for a database that Braid didn't write. Throws FormatError with the key for a value that
/// is truncated, foreign or of a newer version.
BRAID_API std::optional<IndexSettings> load_index_settings(const Xapian::Database& database);

/// Serialises and parses the stored bytes. `where` names their source in messages.
BRAID_API std::string serialise(const IndexSettings& settings);
BRAID_API IndexSettings parse_index_settings(std::string_view bytes, const std::string& where);

/// The database's installed model, under its metadata key braid:model; docs/formats.md has the
/// bytes. Empty if there is none. Throws
/// FormatError, naming the key, for a value that is truncated, foreign or of a newer version, and
/// as `validate` does.
BRAID_API std::optional<FusionModel> load_fusion_model(const Xapian::Database& database);

/// The installed model of `database`, else of the first of its sidecars.
BRAID_API std::optional<FusionModel> load_fusion_model(
    const Xapian::Database& database, const std::vector<Xapian::Database>& sidecars);

/// Takes effect at the next commit. Any model that Searcher ranks by, in one pass or two. Throws as
/// `validate` and `model_function` do, and ModelMismatch for rankers that are features of files and
/// for weights that depend on features of the query. A WritableDatabase of several shards must be
/// written shard by shard.
BRAID_API void store_fusion_model(Xapian::WritableDatabase& database, const FusionModel& model);

/// Without an installed model, a database is ranked by BM25.
BRAID_API void remove_fusion_model(Xapian::WritableDatabase& database);

}  // namespace braid
