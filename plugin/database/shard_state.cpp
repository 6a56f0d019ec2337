// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/shard_state.h"

namespace braid {

std::optional<ShardState> state_of(const Xapian::Database& shard) {
    try {
        ShardState state{shard.get_uuid(), shard.get_revision()};
        if (!state.uuid.empty()) return state;
    } catch (const Xapian::UnimplementedError&) {
    } catch (const Xapian::InvalidOperationError&) {
    }
    return std::nullopt;
}

}  // namespace braid
