// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/sidecar.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/error.h"
#include "braid/plugin/store/keys.h"

namespace braid {

std::vector<std::string> shard_uuids(const Xapian::Database& database) {
    // Xapian joins those of several shards by colons.
    std::vector<std::string> uuids(1);
    for (const char c : database.get_uuid()) {
        if (c == ':') {
            uuids.emplace_back();
        } else {
            uuids.back() += c;
        }
    }
    return uuids;
}

void mark_as_sidecar(Xapian::WritableDatabase& sidecar, const std::string& uuid) {
    sidecar.set_metadata(kSidecarKey, uuid);
}

std::string sidecar_uuid(const Xapian::Database& database) {
    return database.get_metadata(kSidecarKey);
}

const Xapian::Database* find_sidecar(const std::vector<Xapian::Database>& sidecars,
                                     const std::string& uuid) {
    for (const Xapian::Database& sidecar : sidecars) {
        if (!uuid.empty() && sidecar_uuid(sidecar) == uuid) return &sidecar;
    }
    return nullptr;
}

void check_sidecars(const Xapian::Database& database,
                    const std::vector<Xapian::Database>& sidecars) {
    if (sidecars.empty()) return;
    const std::vector<std::string> shards = shard_uuids(database);
    std::set<std::string> served;
    for (const Xapian::Database& sidecar : sidecars) {
        const std::string uuid = sidecar_uuid(sidecar);
        if (uuid.empty()) {
            throw ModelMismatch(
                fmt::format("the database with the UUID {} is no sidecar: it has no metadata key "
                            "{}; make one with `braid adopt --sidecar`",
                            sidecar.get_uuid(), kSidecarKey));
        }
        if (std::find(shards.begin(), shards.end(), uuid) == shards.end()) {
            throw ModelMismatch(
                fmt::format("the sidecar is for a database with the UUID {}, expected {}; if the "
                            "database was compacted or copied anew, make another sidecar",
                            uuid, fmt::join(shards, " or ")));
        }
        if (!served.insert(uuid).second) {
            throw ModelMismatch(fmt::format(
                "two sidecars are for the database with the UUID {}, expected one", uuid));
        }
    }
    for (const std::string& uuid : shards) {
        if (served.contains(uuid)) continue;
        throw ModelMismatch(
            fmt::format("no sidecar is for the shard with the UUID {}; give one for each of the "
                        "{} shards",
                        uuid, shards.size()));
    }
}

}  // namespace braid
