// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/state_guard.h"

#include <string_view>

#include <fmt/format.h>

#include "braid/core/base/byte_fields.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/repaired_query.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/sources/boosted_source.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/lbdm_source.h"
#include "braid/plugin/sources/neighbour_source.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/sources/title_source.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/ranking.h"
#include "braid/sources.h"
#include "braid/weight.h"

namespace braid {
namespace {

ShardIdentity identity_of(const Xapian::Database& shard, bool has_revision = true) {
    const auto state = has_revision ? state_of(shard) : std::nullopt;
    return {shard.get_uuid(), state ? state->revision : 0, shard.get_doccount(),
            shard.get_lastdocid(), shard.get_total_length()};
}

// Whether a shard with that UUID may be the one, or one of those that a server has as one.
bool names(const ShardIdentity& expected, const std::string& uuid) {
    return (':' + expected.uuid + ':').find(':' + uuid + ':') != std::string::npos;
}

// A server knows the revision of what its client doesn't.
bool agree(const ShardIdentity& expected, ShardIdentity found) {
    const bool counted = expected.documents > 0 || expected.length > 0 || expected.last > 0;
    if (!counted || expected.uuid != found.uuid) return true;
    if (expected.revision == 0) found.revision = 0;
    return expected == found;
}

std::string in_words(const ShardIdentity& shard) {
    const std::string revision =
        shard.revision == 0 ? "" : fmt::format("revision {}, ", shard.revision);
    return fmt::format("{}{} documents of length {}", revision, shard.documents, shard.length);
}

}  // namespace

RankingOutdated::RankingOutdated(const std::string& message)
    : Xapian::InvalidOperationError(message) {}

std::vector<ShardIdentity> shard_identities(const Xapian::Database& database,
                                            const std::vector<ShardIdentity>& before) {
    std::vector<ShardIdentity> identities;
    for (const Xapian::Database& shard : shards_of(database)) {
        const std::size_t number = identities.size();
        const bool has_revision = number >= before.size() || before[number].revision != 0;
        identities.push_back(identity_of(shard, has_revision));
    }
    if (!identities.empty() || shard_count(database) == 0) return identities;
    for (const std::string& uuid : shard_uuids(database)) identities.push_back({.uuid = uuid});
    return identities;
}

void StateGuard::init(const Xapian::Database& shard) {
    NeverSource::init(shard);
    const ShardIdentity found = identity_of(shard);
    const ShardIdentity* expected = nullptr;
    for (const ShardIdentity& candidate : shards_) {
        if (!names(candidate, found.uuid)) continue;
        if (agree(candidate, found)) return;
        expected = &candidate;
    }
    if (expected == nullptr) {
        throw RankingOutdated(
            fmt::format("the query was made for {} databases of which none has the UUID '{}' of "
                        "the one that is searched; call Ranking::apply with a Ranking of that one",
                        shards_.size(), found.uuid));
    }
    throw RankingOutdated(fmt::format(
        "the query was made for the database with the UUID '{}' at {}, and it is at {} now; call "
        "Ranking::apply again",
        found.uuid, in_words(*expected), in_words(found)));
}

StateGuard* StateGuard::clone() const { return new StateGuard(shards_); }

namespace {

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, std::vector<ShardIdentity>>& shards) {
    fields.records("shards", 5, shards, [](auto& each, auto& shard) {
        each.text("UUID", shard.uuid);
        each.varint("revision", shard.revision);
        each.varint("documents", shard.documents);
        each.varint("last docid", shard.last);
        each.varint("length", shard.length);
    });
}

}  // namespace

void StateGuard::write_bytes(ByteWriter& out) const { walk(FieldsWriter(out), shards_); }

std::unique_ptr<StateGuard> StateGuard::read_bytes(ByteReader& in) const {
    std::vector<ShardIdentity> shards;
    walk(FieldsReader(in), shards);
    return std::make_unique<StateGuard>(std::move(shards));
}

void register_all(Xapian::Registry& registry, const ModelReader& reader) {
    registry.register_weighting_scheme(FusedWeight(reader));
    registry.register_posting_source(FusedSource());
    registry.register_posting_source(BoostedSource());
    registry.register_posting_source(TitleSource());
    registry.register_posting_source(TopicSource());
    registry.register_posting_source(LbdmSource());
    registry.register_posting_source(NeighbourSource());
    registry.register_posting_source(MatchSource());
    registry.register_posting_source(NeverSource());
    registry.register_posting_source(StateGuard());
    registry.register_posting_source(ValueRanker());
}

}  // namespace braid
