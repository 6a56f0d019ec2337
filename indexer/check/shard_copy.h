// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

#include <xapian.h>

#include "braid/indexer/check/shard_check.h"

namespace braid {

/// Repairs damaged metadata of `target` from `other` if all shards share it: index settings, the
/// list of topic models, the sources of names and records of documents, the installed model, and
/// the record and words of topic models with the same id. Commits; returns the number of keys
/// written.
std::size_t copy_shared_keys(Xapian::WritableDatabase& target, const ShardDamage& damage,
                             const Xapian::Database& other, const ShardDamage& damage_of_other);

}  // namespace braid
