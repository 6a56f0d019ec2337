// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/topics/topic_models.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/random_corpus.h"

namespace braid::test {

/// A topic model in TopicCorpus's databases.
struct CorpusTopics {
    TopicRecord record;
    TopicModel model;
    std::string id;
};

/// A RandomCorpus with the topic models lsa (slot 1000) and lda (slot 1001), 8 dimensions each.
/// Every ninth document has no vectors, every eleventh's is older than its text, and every
/// thirteenth's is cut short, unless the corpus is intact: training refuses damage.
class TopicCorpus {
  public:
    enum Damage { kDamaged, kIntact };

    TopicCorpus(Random& random, std::size_t documents, std::size_t vocabulary,
                VectorCoding lsa_coding = VectorCoding::kSigned8, Damage damage = kDamaged);

    const RandomCorpus& corpus() const { return corpus_; }
    const CorpusTopics& topics(const std::string& name) const { return topics_.at(name); }

    /// In memory, dealt out as RandomCorpus does it; every shard holds the models.
    Xapian::Database database(std::size_t shards = 1) const;
    /// One shard of those, on disk.
    void write_shard(Xapian::WritableDatabase& shard, std::size_t number, std::size_t shards) const;
    /// The models and vectors of a shard without its texts.
    void write_sidecar(Xapian::WritableDatabase& sidecar, std::size_t number,
                       std::size_t shards) const;
    /// Sidecars of the shards of `database`, in memory, the last shard's first.
    std::vector<Xapian::Database> sidecars(const Xapian::Database& database) const;

    /// What the slot of a document holds; "" for nothing.
    std::string value(const std::string& model, Xapian::docid docid) const;
    /// The query in the model's space, folded in from the counts themselves.
    std::vector<float> fold(const std::string& model, const std::vector<std::string>& words) const;
    /// Of each document, 0 or more.
    std::map<Xapian::docid, double> similarities(const std::string& model,
                                                 const std::vector<std::string>& words) const;

  private:
    void write_models(Xapian::WritableDatabase& shard) const;
    bool is_cut(Xapian::docid docid) const { return damage_ == kDamaged && docid % 13 == 0; }

    Damage damage_;
    RandomCorpus corpus_;
    std::map<std::string, CorpusTopics> topics_;
};

}  // namespace braid::test
