// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"

namespace braid {

/// A sidecar is a database with the topic models and vectors of another database, which stays
/// unchanged. Its documents have the same docids and only the vectors' values; records of documents
/// (document_records.h) are in the database itself.

/// The UUIDs of a database's shards, in their order.
BRAID_API std::vector<std::string> shard_uuids(const Xapian::Database& database);

/// Marks `sidecar` as the sidecar of the shard with that UUID.
BRAID_API void mark_as_sidecar(Xapian::WritableDatabase& sidecar, const std::string& uuid);

/// The UUID of the shard that `database` is a sidecar of; "" if it isn't one.
BRAID_API std::string sidecar_uuid(const Xapian::Database& database);

/// The sidecar of the shard with that UUID, or nullptr.
BRAID_API const Xapian::Database* find_sidecar(const std::vector<Xapian::Database>& sidecars,
                                               const std::string& uuid);

/// Throws ModelMismatch, with the database and the UUIDs, if one of `sidecars` isn't a sidecar,
/// belongs to no shard of `database` or to the same shard as another, and if a shard has none.
BRAID_API void check_sidecars(const Xapian::Database& database,
                              const std::vector<Xapian::Database>& sidecars);

}  // namespace braid
