// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

#include <xapian.h>

#include "braid/indexer/check/shard_check.h"

namespace braid {

/// Copies into `target` what of its damaged metadata all shards have the same and `other` has
/// intact: index settings, the list of topic models, where names and records of documents are, the
/// installed model, and of topic models with the same id the record and the words. Commits; returns
/// how many keys it wrote.
std::size_t copy_shared_keys(Xapian::WritableDatabase& target, const ShardDamage& damage,
                             const Xapian::Database& other, const ShardDamage& damage_of_other);

}  // namespace braid
