// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/sources/source_bytes.h"

namespace braid {

/// A shard and its state, as far as a reader can tell.
struct ShardIdentity {
    std::string uuid;            ///< For a server of several databases: theirs, joined by colons.
    std::uint64_t revision = 0;  ///< 0 if unknown: remote, or in memory.
    Xapian::doccount documents = 0;
    Xapian::docid last = 0;
    Xapian::totallength length = 0;  ///< Total of all documents.

    bool operator==(const ShardIdentity&) const = default;
};

/// Identities of the shards, in order. Where Xapian can't separate them, their UUIDs alone.
/// `before` is what it has returned of the same handle: a shard that had no revision isn't asked
/// for one again, which takes an exception.
std::vector<ShardIdentity> shard_identities(const Xapian::Database& database,
                                            const std::vector<ShardIdentity>& before = {});

/// For the right side of OP_AND_NOT: excludes nothing, as NeverSource does, but throws
/// RankingOutdated for a shard that isn't one of those that it was made for, in that state.
class StateGuard final : public SentSource<StateGuard, NeverSource> {
  public:
    static constexpr SentAs kSentAs{"braid::StateGuard", 1};
    void write_bytes(ByteWriter& out) const;
    std::unique_ptr<StateGuard> read_bytes(ByteReader& in) const;

    explicit StateGuard(std::vector<ShardIdentity> shards = {}) : shards_(std::move(shards)) {}

    void init(const Xapian::Database& shard) override;
    StateGuard* clone() const override;

  private:
    std::vector<ShardIdentity> shards_;
};

}  // namespace braid
