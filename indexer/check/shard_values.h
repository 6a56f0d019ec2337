// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/topics/topic_model.h"
#include "braid/indexer/topics/topic_shard.h"

namespace braid {

/// What a repair does to documents' values. All commit what they did.

/// Removes the values of these documents in the slot.
void remove_values(TopicShard& shard, unsigned slot, const std::vector<Xapian::docid>& documents);

/// Removes values from kFirstTopicSlot on that are marked as records of documents; returns how
/// many. For where the place of records is damaged.
std::size_t remove_lost_records(TopicShard& shard);

/// The model's vectors as they are stored, without those that can't be read.
FloatMatrix read_vectors(const Xapian::Database& database, const std::string& id,
                         const TopicRecord& record);

/// Puts `documents`, or all with a vector, into the clusters that the model has; returns how many.
std::size_t write_clusters(TopicShard& shard, const std::string& id, const TopicRecord& record,
                           const std::optional<std::vector<Xapian::docid>>& documents);

}  // namespace braid
