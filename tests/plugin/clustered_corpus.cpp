// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/clustered_corpus.h"

#include "braid/core/vectors/clusters.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/progress.h"

namespace braid::test {

void add_clusters(Xapian::WritableDatabase& shard, const TopicCorpus& corpus,
                  const std::string& name, std::size_t clusters) {
    const CorpusTopics& topics = corpus.topics(name);
    const auto executor = make_executor(1);
    const Clusters found =
        fit_clusters(topics.model.document_vectors,
                     {.clusters = clusters, .coding = topics.record.coding}, *executor);
    const NearestCentroid nearest(found.centroids);
    for (Xapian::docid docid = 1; docid <= shard.get_lastdocid(); ++docid) {
        Xapian::Document document = shard.get_document(docid);
        const std::string value = document.get_value(topics.record.slot);
        const auto stored = try_open_vector(value, topics.model.header.dimensions);
        if (!stored || docid % 17 == 0) continue;
        std::vector<float> vector(topics.model.header.dimensions);
        decode_vector(*stored, vector);
        const std::uint32_t cluster = nearest.find(vector).cluster;
        if (cluster == kNoCluster) continue;
        document.add_boolean_term(cluster_term(topics.id, cluster));
        shard.replace_document(docid, document);
    }
    shard.set_metadata(topic_key(topics.id, kTopicClustersEnding),
                       serialise(TopicClusters{found.centroids, found.radius}));
    shard.commit();
}

Xapian::Database clustered_database(const TopicCorpus& corpus, std::size_t shards,
                                    std::size_t clusters) {
    Xapian::Database result;
    for (std::size_t i = 0; i < shards; ++i) {
        Xapian::WritableDatabase part("", Xapian::DB_BACKEND_INMEMORY);
        corpus.write_shard(part, i, shards);
        for (const char* name : {"lsa", "lda"}) add_clusters(part, corpus, name, clusters);
        result.add_database(part);
    }
    return result;
}

}  // namespace braid::test
