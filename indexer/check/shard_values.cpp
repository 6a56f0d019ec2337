// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/check/shard_values.h"

#include "braid/core/vectors/vector_codes.h"
#include "braid/indexer/topics/cluster_terms.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

// Records and models take the first free slot, which is within so many.
constexpr unsigned kSlotsLookedAt = 1000;

}  // namespace

void remove_values(TopicShard& shard, unsigned slot, const std::vector<Xapian::docid>& documents) {
    Xapian::WritableDatabase& target = shard.target();
    shard.in_batches(documents.size(), [&](std::size_t i) {
        Xapian::Document document = target.get_document(documents[i]);
        document.remove_value(slot);
        target.replace_document(documents[i], document);
    });
}

std::size_t remove_lost_records(TopicShard& shard) {
    const Xapian::WritableDatabase& target = shard.target();
    std::size_t removed = 0;
    for (unsigned slot = kFirstTopicSlot; slot < kFirstTopicSlot + kSlotsLookedAt; ++slot) {
        std::vector<Xapian::docid> documents;
        const auto end = target.valuestream_end(slot);
        for (auto value = target.valuestream_begin(slot); value != end; ++value) {
            if (is_marked_record(*value)) documents.push_back(value.get_docid());
        }
        remove_values(shard, slot, documents);
        removed += documents.size();
    }
    return removed;
}

FloatMatrix read_vectors(const Xapian::Database& database, const std::string& id,
                         const TopicRecord& record) {
    FloatMatrix vectors(0, record.header.dimensions);
    const std::uint8_t tag = topic_model_tag(id);
    const auto end = database.valuestream_end(record.slot);
    for (auto value = database.valuestream_begin(record.slot); value != end; ++value) {
        const std::string bytes = *value;
        const auto stored = try_open_vector(bytes, vectors.columns);
        if (!stored || stored->info.model_tag != tag) continue;
        vectors.values.resize(vectors.values.size() + vectors.columns);
        decode_vector(*stored, vectors.row(vectors.rows++));
    }
    return vectors;
}

std::size_t write_clusters(TopicShard& shard, const std::string& id, const TopicRecord& record,
                           const std::optional<std::vector<Xapian::docid>>& documents) {
    Xapian::WritableDatabase& target = shard.target();
    std::vector<Xapian::docid> all;
    if (documents) {
        all = *documents;
    } else {
        const auto end = target.valuestream_end(record.slot);
        for (auto value = target.valuestream_begin(record.slot); value != end; ++value) {
            all.push_back(value.get_docid());
        }
    }
    ClusterTerms clusters(target, id, record.header.dimensions);
    shard.in_batches(all.size(), [&](std::size_t i) {
        Xapian::Document document = target.get_document(all[i]);
        const std::string stored = document.get_value(record.slot);
        if (!try_open_vector(stored, record.header.dimensions)) return;
        clusters.assign(document, stored);
        clusters.write(target);  // Only where one has to be wider, which is rare.
        target.replace_document(all[i], document);
    });
    return all.size();
}

}  // namespace braid
