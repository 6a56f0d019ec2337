// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <xapian.h>

namespace braid {

/// What tells one state of a shard from another. Not installed.
struct ShardState {
    std::string uuid;
    std::uint64_t revision = 0;
};

/// Nothing for a shard that has no revision: remote, in memory, or several.
std::optional<ShardState> state_of(const Xapian::Database& shard);

}  // namespace braid
