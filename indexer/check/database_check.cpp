// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/check/database_check.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <xapian.h>

#include "braid/adopt.h"
#include "braid/error.h"
#include "braid/indexer/check/shard_check.h"
#include "braid/indexer/check/shard_repair.h"
#include "braid/indexer/topics/topic_shard.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/table_file.h"

namespace braid {
namespace {

using Kind = CheckFinding::Kind;

// A reader survives one commit; so many in a row mean that a writer doesn't batch.
constexpr int kAttempts = 10;

constexpr std::size_t kKeysPerCommit = 10'000;

// A database, or the sidecar of one.
struct Place {
    std::string spec;
    std::string sidecar = {};

    const std::string& name() const { return sidecar.empty() ? spec : sidecar; }
};

struct CheckedShard {
    ShardDamage damage;
    std::vector<std::pair<std::string, std::string>> common;
};

// One state of the shard from start to end: what a writer replaced meanwhile looks damaged.
CheckedShard check_shard(const Place& place, const CheckOptions& options, CheckReport& report) {
    const bool is_sidecar = !place.sidecar.empty();
    Xapian::Database source = open_databases({place.spec});
    Xapian::Database target = is_sidecar ? open_databases({place.sidecar}) : source;
    if (source.get_uuid().find(':') != std::string::npos) {
        throw Error(
            fmt::format("database '{}': it is a stub of several databases, each of which "
                        "keeps its own; name each of them instead",
                        place.spec));
    }
    for (int attempt = 1;; ++attempt) {
        CheckReport own = report;
        CheckLog log(place.name(), options.progress, own);
        ShardCheck check(source, target, is_sidecar, log);
        bool outrun = false;
        try {
            check.run();
        } catch (const Xapian::DatabaseModifiedError&) {
            outrun = true;
        }
        if (outrun || log.database_damaged()) {
            const bool source_moved = source.reopen();
            const bool target_moved = target.reopen();
            outrun = outrun || source_moved || target_moved;
        }
        if (!outrun) {
            if (!is_sidecar && is_on_server(place.spec)) {
                log.add(Kind::kNote, "server",
                        "a search on a server doesn't warn of damaged vectors and records that it "
                        "meets, since the server has no way to tell: only a check finds them");
            }
            report = std::move(own);
            return {check.damage(), check.common()};
        }
        if (attempt == kAttempts) {
            throw Error(
                fmt::format("database '{}': another program wrote to it during {} checks in "
                            "a row; check it when that is done",
                            place.spec, attempt));
        }
    }
}

// What every shard has to have like the first.
void compare(const std::vector<std::string>& databases, const std::vector<CheckedShard>& shards,
             CheckReport& report) {
    for (std::size_t i = 1; i < shards.size(); ++i) {
        for (const auto& wanted : shards[0].common) {
            const auto& others = shards[i].common;
            const auto other = std::find_if(others.begin(), others.end(), [&](const auto& entry) {
                return entry.first == wanted.first;
            });
            if (other != others.end() && other->second == wanted.second) continue;
            report.findings.push_back(
                {Kind::kDamaged, databases[i], wanted.first,
                 fmt::format("they differ from those of '{}', and shards that are searched as one "
                             "have the same",
                             databases[0]),
                 "give all shards to one command: `braid adopt --db A --db B`"});
        }
    }
}

// What the databases keep themselves comes first, then what their sidecar has.
CheckReport check_all(const std::vector<std::string>& databases, const std::vector<Place>& places,
                      const CheckOptions& options, std::vector<ShardDamage>& damage) {
    CheckReport report;
    std::vector<CheckedShard> shards;
    damage.clear();
    for (const Place& place : places) {
        shards.push_back(check_shard(place, options, report));
        damage.push_back(shards.back().damage);
    }
    shards.resize(databases.size());
    compare(databases, shards, report);
    return report;
}

// What shard `i` can have from the others; then it is looked at again, since there is more to see.
void copy_from_others(const std::vector<std::string>& databases, std::size_t i,
                      const CheckOptions& options, std::vector<ShardDamage>& damage,
                      std::vector<std::string>& done) {
    for (std::size_t j = 0; j < databases.size(); ++j) {
        while (i != j && damage[i].any()) {
            std::size_t copied = 0;
            {
                TopicShard shard(databases[i], "", kKeysPerCommit);
                copied = copy_shared_keys(shard.target(), damage[i], open_databases({databases[j]}),
                                          damage[j]);
            }
            if (copied == 0) break;
            done.push_back(fmt::format("database '{}': copied {} metadata keys from database '{}'",
                                       databases[i], copied, databases[j]));
            CheckReport again;
            damage[i] = check_shard({databases[i]}, options, again).damage;
        }
    }
}

std::vector<std::string> repair(const Place& place, const ShardDamage& damage,
                                const CheckOptions& options) {
    std::vector<std::string> done;
    bool needs_statistics = false;
    {
        ShardRepair repair(place.spec, place.sidecar, options.progress);
        done = repair.run(damage);
        needs_statistics = repair.needs_statistics();
    }
    if (needs_statistics) {
        const AdoptedStatistics made =
            adopt_statistics({place.spec}, {.progress = options.progress});
        done.push_back(fmt::format("database '{}': made {} records of documents again", place.spec,
                                   made.written));
    }
    // Whatever was repaired is in no file of before.
    write_table_files({place.name()}, TableFiles::kRenew);
    if (damage.table_file) {
        done.push_back(
            fmt::format("database '{}': made the file {} again", place.name(), TableFile::kName));
    }
    return done;
}

}  // namespace

bool CheckReport::sound() const {
    return std::all_of(findings.begin(), findings.end(),
                       [](const CheckFinding& finding) { return finding.kind == Kind::kNote; });
}

CheckReport check_database(const std::vector<std::string>& databases, const CheckOptions& options) {
    check_targets(databases, options.sidecar);
    std::vector<Place> places;
    places.reserve(databases.size() + 1);
    for (const std::string& spec : databases) places.push_back({spec});
    if (!options.sidecar.empty()) places.push_back({databases.front(), options.sidecar});
    try {
        std::vector<ShardDamage> damage;
        CheckReport report = check_all(databases, places, options, damage);
        if (!options.repair) return report;
        std::vector<std::string> repaired;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i].sidecar.empty()) {
                copy_from_others(databases, i, options, damage, repaired);
            }
            if (!damage[i].any()) continue;
            for (std::string& done : repair(places[i], damage[i], options)) {
                repaired.push_back(std::move(done));
            }
        }
        if (repaired.empty()) return report;
        report = check_all(databases, places, options, damage);
        report.repaired = std::move(repaired);
        return report;
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, databases.front()));
    }
}

}  // namespace braid
