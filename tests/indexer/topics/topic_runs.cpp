// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/indexer/topics/topic_runs.h"

#include <filesystem>
#include <set>

#include "braid/core/vectors/vector_codes.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"

namespace braid::test {

Documents topical_documents(std::size_t count, std::size_t first, std::size_t longest) {
    Documents documents;
    for (std::size_t d = first; d < first + count; ++d) {
        Random random(seed(), d);
        const std::uint64_t topics[] = {random.below(6), random.below(6)};
        std::string text = "the common";
        for (std::uint64_t i = 1 + random.below(longest); i > 0; --i) {
            const std::uint64_t word = random.below(20) * 6 + topics[random.below(2)];
            text += " w" + std::to_string(word) + (word % 3 == 0 ? "ing" : "");
        }
        documents.push_back(
            make_document("d" + std::to_string(d), {{"title", "Number " + std::to_string(d % 40)},
                                                    {"text", text},
                                                    {"section", d % 2 == 0 ? "net" : "Games"}}));
    }
    return documents;
}

TopicalDatabase::TopicalDatabase(std::size_t count, std::size_t first, std::size_t longest) {
    index(path, topical_documents(count, first, longest));
}

TopicalShards::TopicalShards(std::size_t first_count, std::size_t second_count) {
    index(paths[0], topical_documents(first_count));
    index(paths[1], topical_documents(second_count, first_count));
}

TopicSettings small_model(std::size_t dimensions, const std::string& model) {
    return {.model = model, .dimensions = dimensions};
}

std::vector<AdoptedModel> adopt(const std::vector<std::string>& databases,
                                const std::vector<TopicSettings>& models, AdoptOptions options) {
    options.models = models;
    if (options.threads == 0) options.threads = 1;
    return adopt_topics(databases, options);
}

AdoptedModel adopt(const std::string& database, const TopicSettings& model, AdoptOptions options) {
    return adopt(std::vector<std::string>{database}, {model}, std::move(options)).front();
}

std::map<Xapian::docid, std::string> values_of(const Xapian::Database& database, unsigned slot) {
    std::map<Xapian::docid, std::string> values;
    for (auto value = database.valuestream_begin(slot); value != database.valuestream_end(slot);
         ++value) {
        values[value.get_docid()] = *value;
    }
    return values;
}

Dump dump_without_topics(const Xapian::Database& database) {
    Dump all = dump(database);
    for (auto& [document, lines] : all) {
        std::erase_if(lines, [](const std::string& line) {
            return line.starts_with("slot 1") && line.find(" = ") == 9;  // 1000 to 1999
        });
    }
    return all;
}

std::map<std::string, std::string> files_of(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name != "flintlock") files[name] = read_file(entry.path());
    }
    return files;
}

std::string problem_of(const Xapian::Database& database, const Xapian::Database& vectors) {
    for (const TopicModelIdentity& model : load_topic_catalogue(vectors)) {
        const TopicRecord record = load_topic_record(vectors, model.id);
        load_topic_summary(vectors, model.id);
        std::vector<float> vector(record.header.dimensions);
        std::size_t words = 0;
        const std::string prefix = topic_key(model.id, kTopicTermEnding);
        const auto end = vectors.metadata_keys_end(prefix);
        for (auto key = vectors.metadata_keys_begin(prefix); key != end; ++key, ++words) {
            decode_term_vector(vectors.get_metadata(*key), *key, vector);
        }
        if (words != record.vocabulary) return model.name + ": words are missing";
        const auto values = values_of(vectors, record.slot);
        for (auto document = database.postlist_begin(""); document != database.postlist_end("");
             ++document) {
            const auto value = values.find(*document);
            if (value == values.end()) return model.name + ": vectors are missing";
            const VectorInfo info = open_vector(value->second, vector.size(), "value").info;
            if (info.model_tag != topic_model_tag(model.id)) return model.name + ": foreign vector";
            if (info.document_length != document.get_doclength()) return model.name + ": stale";
        }
    }
    return "";
}

void rank_by_topics(const std::string& path, const std::vector<std::string>& rankers) {
    FusionModel model;
    for (const std::string& ranker : rankers) {
        model.rankers.push_back(
            {.ranker = ranker, .weight = 10 / static_cast<double>(rankers.size())});
    }
    Xapian::WritableDatabase database(path);
    store_fusion_model(database, model);
    database.commit();
}

std::string leftovers_of(const Xapian::Database& vectors) {
    std::set<std::string> named;
    std::set<unsigned> slots;
    for (const TopicModelIdentity& model : load_topic_catalogue(vectors)) {
        named.insert(model.id);
        slots.insert(load_topic_record(vectors, model.id).slot);
    }
    const std::string prefix = kTopicKeyPrefix;
    const std::set<std::string> others = {kTopicCatalogueKey, kSidecarKey,  kIndexSettingsKey,
                                          kDocumentNamesKey,  kStemmersKey, kTableFileKey};
    for (auto key = vectors.metadata_keys_begin(prefix); key != vectors.metadata_keys_end(prefix);
         ++key) {
        const std::string text = *key;
        if (!others.contains(text) && !named.contains(text.substr(prefix.size(), 16))) return text;
    }
    for (unsigned slot = kFirstTopicSlot; slot < kFirstTopicSlot + 50; ++slot) {
        if (vectors.get_value_freq(slot) > 0 && !slots.contains(slot)) {
            return "slot " + std::to_string(slot);
        }
    }
    return "";
}

}  // namespace braid::test
