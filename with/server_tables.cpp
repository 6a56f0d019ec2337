// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/with/server_tables.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <queue>
#include <string_view>
#include <utility>

#include "braid/database.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/sources.h"

namespace braid::with {
namespace {

constexpr std::size_t kRoom = std::size_t{1} << 30;
constexpr std::size_t kBytesOfPosting = 8;
constexpr std::size_t kBytesOfTerm = 1024;

struct Tables {
    std::shared_ptr<VectorTables> vectors = std::make_shared<VectorTables>(kRoom);
    std::shared_ptr<PostingTables> postings = std::make_shared<PostingTables>(kRoom);
};

void read_vectors(const Xapian::Database& shard, Tables& tables) {
    for (const TopicModelIdentity& identity : load_topic_catalogue(shard)) {
        const TopicRecord record = load_topic_record(shard, identity.id);
        const std::size_t dimensions = record.header.dimensions;
        tables.vectors->topics(shard, {identity.id, record.slot}, dimensions, true);
    }
}

void read_postings(const Xapian::Database& shard, std::size_t room, Tables& tables) {
    const LengthAccess lengths = tables.vectors->lengths(shard);
    for (const std::string& term : most_frequent_terms(shard, room)) {
        const std::string_view name = term;
        tables.postings->find(shard, {&name, 1}, lengths.table.get());
    }
}

}  // namespace

std::vector<std::string> most_frequent_terms(const Xapian::Database& shard, std::size_t room) {
    using Term = std::pair<Xapian::doccount, std::string>;
    std::priority_queue<Term, std::vector<Term>, std::greater<>> kept;  // The rarest on top.
    const auto bytes = [](Xapian::doccount documents) {
        return documents * kBytesOfPosting + kBytesOfTerm;
    };
    std::size_t taken = 0;
    for (auto term = shard.allterms_begin(); term != shard.allterms_end(); ++term) {
        const Xapian::doccount documents = term.get_termfreq();
        if (bytes(documents) > room) continue;
        // It would be dropped again.
        if (taken > room && documents < kept.top().first) continue;
        kept.emplace(documents, *term);
        taken += bytes(documents);
        // At most one is kept that has no room: no rarer one is then.
        while (taken - bytes(kept.top().first) > room) {
            taken -= bytes(kept.top().first);
            kept.pop();
        }
    }
    if (taken > room) kept.pop();
    std::vector<std::string> terms(kept.size());
    for (std::size_t i = terms.size(); i-- > 0; kept.pop()) terms[i] = kept.top().second;
    return terms;
}

void register_with_tables(Xapian::Registry& registry, const std::vector<std::string>& folders,
                          const ModelReader& reader) {
    register_all(registry, reader);
    std::vector<Xapian::Database> shards;
    for (const std::string& folder : folders) {
        for (const Xapian::Database& shard : shards_of(Xapian::Database(folder))) {
            shards.push_back(shard);
        }
    }
    Tables tables;
    for (const Xapian::Database& shard : shards) {
        read_vectors(shard, tables);
        read_postings(shard, kRoom / 2 / shards.size(), tables);
    }
    FusedSource source;
    source.use_tables(tables.vectors);
    source.use_postings(tables.postings);
    registry.register_posting_source(source);
}

}  // namespace braid::with
