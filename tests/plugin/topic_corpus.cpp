// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/topic_corpus.h"

#include <algorithm>
#include <cmath>

#include "braid/core/topics/term_document_counts.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/progress.h"
#include "braid/tests/support/support.h"

namespace braid::test {
namespace {

TermDocumentCounts counts_of(const RandomCorpus& corpus) {
    TermDocumentCountsBuilder builder;
    for (Xapian::docid docid = 1; docid <= corpus.size(); ++docid) {
        builder.begin_document();
        for (const std::string& word : corpus.words(docid)) builder.add(word);
    }
    return restrict_vocabulary(builder.build(), {});
}

CorpusTopics learn(const RandomCorpus& corpus, const std::string& name, unsigned slot,
                   VectorCoding coding) {
    TopicOptions options;
    options.dimensions = 8;
    if (name == "lda") options.parameters = {{"sweeps", 30}, {"chains", 2}};
    if (name == "lda") options.dimensions = 4;
    const auto executor = make_executor(1);
    CorpusTopics topics;
    topics.model = fit_topic_model(name, counts_of(corpus), options, *executor);
    topics.record.name = name;
    topics.record.header = topics.model.header;
    topics.record.coding = coding;
    topics.record.slot = slot;
    topics.record.form = WordForm::kWords;
    topics.record.stemmer = "none";
    topics.record.options = options;
    topics.record.documents = corpus.size();
    for (Xapian::docid docid = 1; docid <= corpus.size(); ++docid) {
        topics.record.words += static_cast<double>(corpus.words(docid).size());
    }
    topics.record.vocabulary = topics.model.vocabulary.size();
    topics.id = topic_model_id(topics.record, topics.model);
    return topics;
}

}  // namespace

TopicCorpus::TopicCorpus(Random& random, std::size_t documents, std::size_t vocabulary,
                         VectorCoding lsa_coding, Damage damage)
    : damage_(damage), corpus_(random, documents, vocabulary, 60) {
    topics_.emplace("lsa", learn(corpus_, "lsa", 1000, lsa_coding));
    topics_.emplace("lda", learn(corpus_, "lda", 1001, VectorCoding::kUnsigned8));
}

void TopicCorpus::write_models(Xapian::WritableDatabase& shard) const {
    for (const auto& [name, topics] : topics_) {
        write_topic_model(shard, topics.id, topics.record, {}, topics.model);
        publish_topic_model(shard, {name, topics.id});
    }
}

std::string TopicCorpus::value(const std::string& name, Xapian::docid docid) const {
    if (docid % 9 == 0) return "";
    const CorpusTopics& topics = topics_.at(name);
    const std::uint64_t length = corpus_.words(docid).size() + (docid % 11 == 0 ? 1 : 0);
    std::string bytes = encode_vector({topics.record.coding, topic_model_tag(topics.id), length},
                                      topics.model.document_vectors.row(docid - 1));
    if (is_cut(docid)) bytes.pop_back();
    return bytes;
}

void TopicCorpus::write_shard(Xapian::WritableDatabase& shard, std::size_t number,
                              std::size_t shards) const {
    const Xapian::Database texts = corpus_.database();
    for (std::size_t i = number; i < corpus_.size(); i += shards) {
        const auto docid = static_cast<Xapian::docid>(i + 1);
        Xapian::Document document = texts.get_document(docid);
        for (const auto& [name, topics] : topics_) {
            document.add_value(topics.record.slot, value(name, docid));
        }
        shard.add_document(document);
    }
    write_models(shard);
    shard.commit();
}

void TopicCorpus::write_sidecar(Xapian::WritableDatabase& sidecar, std::size_t number,
                                std::size_t shards) const {
    for (std::size_t i = number; i < corpus_.size(); i += shards) {
        const auto docid = static_cast<Xapian::docid>(i + 1);
        Xapian::Document document;
        for (const auto& [name, topics] : topics_) {
            document.add_value(topics.record.slot, value(name, docid));
        }
        sidecar.replace_document(static_cast<Xapian::docid>(i / shards + 1), document);
    }
    write_models(sidecar);
}

std::vector<Xapian::Database> TopicCorpus::sidecars(const Xapian::Database& database) const {
    const std::vector<std::string> uuids = shard_uuids(database);
    std::vector<Xapian::Database> result;
    for (std::size_t i = uuids.size(); i-- > 0;) {
        Xapian::WritableDatabase sidecar("", Xapian::DB_BACKEND_INMEMORY);
        write_sidecar(sidecar, i, uuids.size());
        mark_as_sidecar(sidecar, uuids[i]);
        result.push_back(sidecar);
    }
    return result;
}

Xapian::Database TopicCorpus::database(std::size_t shards) const {
    return in_memory_shards(shards, [&](Xapian::WritableDatabase& part, std::size_t number) {
        write_shard(part, number, shards);
    });
}

std::vector<float> TopicCorpus::fold(const std::string& name,
                                     const std::vector<std::string>& words) const {
    const TopicModel& model = topics_.at(name).model;
    std::map<std::uint32_t, float> counts;
    for (const std::string& word : words) {
        const auto found = std::lower_bound(model.vocabulary.begin(), model.vocabulary.end(), word);
        if (found == model.vocabulary.end() || *found != word) continue;
        ++counts[static_cast<std::uint32_t>(found - model.vocabulary.begin())];
    }
    std::vector<std::uint32_t> ids;
    std::vector<float> occurrences;
    for (const auto& [id, count] : counts) {
        ids.push_back(id);
        occurrences.push_back(count);
    }
    // Term vectors are stored as halves, so these are, too.
    TopicModel stored = model;
    for (std::size_t t = 0; t < model.vocabulary.size(); ++t) {
        decode_term_vector(encode_term_vector(model.term_vectors.row(t)), "test",
                           stored.term_vectors.row(t));
    }
    return fold_in(*make_topic_folding(model.header), stored, {ids, occurrences});
}

std::map<Xapian::docid, double> TopicCorpus::similarities(
    const std::string& name, const std::vector<std::string>& words) const {
    const std::vector<float> folded = fold(name, words);
    const QueryVector query(folded);
    std::map<Xapian::docid, double> result;
    for (Xapian::docid docid = 1; docid <= corpus_.size(); ++docid) {
        const std::string bytes = value(name, docid);
        double& similarity = result[docid];
        if (bytes.empty() || is_cut(docid)) continue;
        const StoredVector stored = open_vector(bytes, folded.size(), "test");
        similarity = std::clamp(query.dot(stored), 0.0, 1.0);
        // The kernels' own rounding aside, it is the product of the decoded vectors.
        std::vector<float> decoded(folded.size());
        decode_vector(stored, decoded);
        double plain = 0;
        for (std::size_t k = 0; k < decoded.size(); ++k) {
            plain += static_cast<double>(folded[k]) * decoded[k];
        }
        REQUIRE(std::abs(std::clamp(plain, 0.0, 1.0) - similarity) < 1e-4);
    }
    return result;
}

}  // namespace braid::test
