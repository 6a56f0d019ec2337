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

/// The fusion model that a database is ranked by where nothing else is asked for, under its
/// metadata key braid:model; docs/formats.md has the bytes. Nothing where there is none. Throws
/// FormatError, naming the key, for a value that is truncated, foreign or of a newer version, and
/// as `validate` does.
BRAID_API std::optional<FusionModel> load_fusion_model(const Xapian::Database& database);

/// What `database` is ranked by then: its own, else that of the first of its sidecars.
BRAID_API std::optional<FusionModel> load_fusion_model(
    const Xapian::Database& database, const std::vector<Xapian::Database>& sidecars);

/// Takes effect at the next commit. Any model that Searcher ranks by, in one pass or two. Throws as
/// `validate` and `model_function` do, and ModelMismatch for rankers that are features of files and
/// for weights that depend on features of the query. A WritableDatabase of several shards must be
/// written shard by shard.
BRAID_API void store_fusion_model(Xapian::WritableDatabase& database, const FusionModel& model);

/// Without a model of its own a database is ranked by BM25.
BRAID_API void remove_fusion_model(Xapian::WritableDatabase& database);

}  // namespace braid
