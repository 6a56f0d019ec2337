// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/stored_topic_model.h"

#include <utility>

#include "braid/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

// Also looks whether the stemmer is known. An unknown name is the record's fault, not the caller's.
std::unique_ptr<const TopicFolding> folding_of(const TopicRecord& record, const std::string& id) {
    try {
        make_stemmer({.stemmer = record.stemmer.empty() ? "none" : record.stemmer});
        return make_topic_folding(record.header);
    } catch (const UnknownComponent& error) {
        throw FormatError("metadata key " + topic_key(id, kTopicRecordEnding) + ": " +
                          error.what());
    }
}

}  // namespace

StoredTopicModel::StoredTopicModel(const Xapian::Database& database,
                                   const TopicModelIdentity& identity)
    : identity_(identity),
      record_(load_topic_record(database, identity.id)),
      tag_(topic_model_tag(identity.id)),
      database_(database),
      folding_(folding_of(record_, identity.id)) {}

StoredTopicModel::~StoredTopicModel() = default;
StoredTopicModel::StoredTopicModel(StoredTopicModel&&) noexcept = default;
StoredTopicModel& StoredTopicModel::operator=(StoredTopicModel&&) noexcept = default;

void StoredTopicModel::make_room(std::size_t words) {
    const std::size_t bytes_each = record_.header.dimensions * sizeof(float) + 100;
    if ((vectors_.size() + words) * bytes_each > kMaxKeptBytes) vectors_.clear();
}

const std::vector<float>* StoredTopicModel::look_up(const std::string& word) {
    auto found = vectors_.find(word);
    if (found == vectors_.end()) {
        std::vector<float> vector;
        const std::string key = topic_key(identity_.id, kTopicTermEnding) + word;
        const std::string bytes =
            word.size() <= kMaxTopicWordBytes ? database_.get_metadata(key) : "";
        if (!bytes.empty()) {
            vector.resize(record_.header.dimensions);
            decode_term_vector(bytes, "metadata key " + key, vector);
        }
        found = vectors_.emplace(word, std::move(vector)).first;
    }
    return found->second.empty() ? nullptr : &found->second;
}

const std::vector<float>* StoredTopicModel::term_vector(const std::string& word) {
    make_room(1);
    return look_up(word);
}

FoldedText StoredTopicModel::fold(const WordCounts& words) {
    make_room(words.size());
    FoldedText text;
    std::vector<FoldingTerm> terms;
    terms.reserve(words.size());
    for (const auto& [word, count] : words) {
        const std::vector<float>* vector = look_up(word);
        if (vector == nullptr) {
            text.unknown += count;
        } else {
            text.known += count;
            terms.push_back({count, *vector});
        }
    }
    text.vector.resize(record_.header.dimensions);
    folding_->fold(terms, text.vector);
    return text;
}

std::string StoredTopicModel::encode(std::span<const float> vector, std::uint64_t length) const {
    return encode_vector({record_.coding, tag_, length}, vector);
}

}  // namespace braid
