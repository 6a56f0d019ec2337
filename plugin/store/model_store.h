// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

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
