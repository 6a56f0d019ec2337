// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/topic_slot.h"

#include <fmt/format.h>

#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {

Xapian::Database topic_holder(const Xapian::Database& shard,
                              const std::vector<Xapian::Database>& sidecars,
                              const std::string& model_id, const std::string& source) {
    const Xapian::Database* holder = &shard;
    if (!sidecars.empty()) {
        holder = find_sidecar(sidecars, shard.get_uuid());
        if (holder == nullptr) {
            throw Xapian::InvalidOperationError(fmt::format(
                "{}: none of the {} sidecars was made for the database with the UUID {}", source,
                sidecars.size(), shard.get_uuid()));
        }
    }
    if (holder->get_metadata(topic_key(model_id, kTopicRecordEnding)).empty()) {
        throw Xapian::InvalidOperationError(
            fmt::format("{}: the database with the UUID {} doesn't hold the topic model {}; all "
                        "shards must have the same models",
                        source, holder->get_uuid(), model_id));
    }
    return *holder;
}

}  // namespace braid
