// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/default_ranking.h"

#include <utility>

#include <xapian.h>

#include "braid/core/error.h"
#include "braid/core/models/model_rankers.h"
#include "braid/indexer/topic_shard.h"
#include "braid/plugin/store/model_store.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

constexpr std::size_t kBatch = 10'000;

RankerSpec ranker_of(const TopicRecord& record, const TopicModelIdentity& identity) {
    RankerSpec spec;
    spec.ranker = record.header.model;
    if (spec.ranker != identity.name) {
        spec.name = identity.name;
        spec.topics = identity.name;
    }
    return spec;
}

}  // namespace

FusionModel DefaultRanking::of(const std::vector<RankerSpec>& topics) {
    FusionModel model;  // BM25
    for (RankerSpec spec : topics) {
        spec.weight = kTopicWeight / static_cast<double>(topics.size());
        model.rankers.push_back(spec);
    }
    return model;
}

std::optional<FusionModel> install_default_ranking(const std::vector<std::string>& databases,
                                                   const std::string& sidecar) {
    try {
        std::optional<FusionModel> installed;
        for (const std::string& spec : databases) {
            TopicShard shard = wait_for_lock(kLockPatienceAfter,
                                             [&] { return TopicShard(spec, sidecar, kBatch); });
            if (load_fusion_model(shard.target())) continue;
            std::vector<RankerSpec> topics;
            for (const TopicModelIdentity& identity : load_topic_catalogue(shard.target())) {
                const auto record = intact_topic_record(shard.target(), identity.id);
                if (!record) continue;
                RankerSpec ranker = ranker_of(*record, identity);
                // A query has such a vector only where someone gives one.
                if (ranker.ranker != kVectorsModel) topics.push_back(std::move(ranker));
            }
            if (topics.empty()) continue;
            installed = DefaultRanking::of(topics);
            store_fusion_model(shard.target(), *installed);
            shard.target().commit();
        }
        return installed;
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, databases.front()));
    }
}

}  // namespace braid
