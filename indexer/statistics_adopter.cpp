// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/statistics_adopter.h"

#include "braid/core/error.h"
#include "braid/indexer/topic_shard.h"
#include "braid/plugin/store/index_settings_store.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/topic_writer.h"

namespace braid {
namespace {

// What all shards have already, or a new place.
DocumentRecords place_of_records(std::vector<TopicShard>& shards, const Xapian::Database& source) {
    std::vector<Xapian::Database> targets;
    for (TopicShard& shard : shards) {
        if (const auto records = load_document_records(shard.target())) return *records;
        targets.push_back(shard.target());
    }
    return {free_topic_slot(targets, load_index_settings(source).value_or(IndexSettings())),
            find_word_form(source)};
}

}  // namespace

AdoptedStatistics adopt_statistics(const std::vector<std::string>& databases,
                                   const AdoptStatisticsOptions& options) {
    if (databases.empty()) throw InvalidArgument("no database given");
    try {
        std::vector<TopicShard> shards;
        for (const std::string& spec : databases) {
            shards.emplace_back(spec, "", options.batch);
        }
        AdoptedStatistics result;
        result.records = place_of_records(shards, open_databases(databases));
        for (TopicShard& shard : shards) {
            result.written += shard.write_records(result.records, options.progress);
        }
        for (TopicShard& shard : shards) {
            if (load_document_records(shard.target()) == result.records) continue;
            store_document_records(shard.target(), result.records);
            shard.target().commit();
        }
        return result;
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, databases.front()));
    }
}

}  // namespace braid
