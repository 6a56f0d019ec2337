// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/topics/topic_folder.h"

#include <utility>

#include "braid/core/model/model_rankers.h"
#include "braid/plugin/store/document_words.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/store/topic_writer.h"

namespace braid {

TopicFolder::TopicFolder(const Xapian::WritableDatabase& database) {
    for (const TopicModelIdentity& identity : load_topic_catalogue(database)) {
        // Only who made them can make another vector.
        if (load_topic_record(database, identity.id).header.model == kVectorsModel) continue;
        StoredTopicModel stored(database, identity);
        ClusterTerms clusters(database, identity.id, stored.record().header.dimensions);
        models_.push_back(
            {std::move(stored), load_topic_use(database, identity.id), std::move(clusters)});
    }
}

void TopicFolder::add_vectors(Xapian::Document& document) {
    if (models_.empty()) return;
    used_ = true;
    DocumentWords words;
    for (std::size_t i = 0; i < models_.size(); ++i) {
        const TopicRecord& record = models_[i].stored.record();
        if (i == 0 || record.form != models_[i - 1].stored.record().form) {
            words = document_words(document, record.form);
        }
        const FoldedText text = models_[i].stored.fold(words.words);
        const std::string stored = models_[i].stored.encode(text.vector, words.length);
        document.add_value(record.slot, stored);
        models_[i].clusters.assign(document, stored);
        TopicUse& use = models_[i].use;
        ++use.folded_documents;
        use.words += text.known + text.unknown;
        use.unknown_words += text.unknown;
    }
}

void TopicFolder::write_use(Xapian::WritableDatabase& database) {
    if (!used_) return;
    for (Model& model : models_) {
        database.set_metadata(topic_key(model.stored.identity().id, kTopicUseEnding),
                              serialise(model.use));
        renew_topic_record(database, model.stored.identity().id, model.stored.record());
        model.clusters.write(database);
    }
    used_ = false;
}

}  // namespace braid
