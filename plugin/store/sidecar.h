// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// A sidecar is a database that holds topic models and vectors for another one, which it leaves
/// untouched. Its documents have the other's numbers, and nothing but the vectors' values: records
/// of documents (document_records.h) are of the database itself or there are none.

/// The UUIDs of a database's shards, in their order.
BRAID_API std::vector<std::string> shard_uuids(const Xapian::Database& database);

/// Says that `sidecar` is for the shard with that UUID.
BRAID_API void mark_as_sidecar(Xapian::WritableDatabase& sidecar, const std::string& uuid);

/// The UUID of the shard that `database` is a sidecar for; "" where it is none.
BRAID_API std::string sidecar_uuid(const Xapian::Database& database);

/// The one for the shard with that UUID; nullptr if there is none.
BRAID_API const Xapian::Database* find_sidecar(const std::vector<Xapian::Database>& sidecars,
                                               const std::string& uuid);

/// Throws ModelMismatch, which names the database and the UUIDs, where one of `sidecars` is no
/// sidecar, is for no shard of `database`, or is for one that another is for, and where a shard
/// has none.
BRAID_API void check_sidecars(const Xapian::Database& database,
                              const std::vector<Xapian::Database>& sidecars);

}  // namespace braid
