// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/vectors/vector_codes.h"
#include "braid/indexer/check/check_log.h"
#include "braid/model.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

/// Damage to one topic model of a shard, for a repair.
struct ModelDamage {
    TopicModelIdentity identity = {};
    bool newer = false;   ///< A newer Braid's; leave it.
    bool record = false;  ///< The record is damaged; the model is unusable.
    bool summary = false;
    bool use = false;
    bool clusters = false;
    bool vocabulary = false;                        ///< Vectors of words are missing.
    std::vector<std::string> words = {};            ///< Keys of damaged vectors of words.
    std::vector<Xapian::docid> vectors = {};        ///< Documents with a damaged vector.
    std::vector<Xapian::docid> cluster_terms = {};  ///< Documents with a missing or wrong term.

    bool any() const {
        return record || summary || use || clusters || vocabulary || !words.empty() ||
               !vectors.empty() || !cluster_terms.empty();
    }
};

/// Checks all data of one topic model in a shard.
class ModelCheck {
  public:
    /// `source` has the documents, `target` the model. Borrows the log.
    ModelCheck(const Xapian::Database& source, const Xapian::Database& target,
               const TopicModelIdentity& identity, CheckLog& log);

    void run();

    const ModelDamage& damage() const { return damage_; }
    /// The record's bytes, equal in all shards.
    const std::string& record_bytes() const { return record_bytes_; }

  private:
    struct Counts;

    bool check_record();
    void check_words();
    void check_clusters();
    void check_vectors();
    void check_vector(Xapian::docid docid, std::string_view bytes, Xapian::termcount length,
                      Counts& counts);
    /// Why the components are not a vector of the model; "" if they are.
    std::string problem_of(const StoredVector& stored);
    void check_cluster(Xapian::docid docid);
    void report_vectors(const Counts& counts);
    std::string key(const char* ending) const;

    Xapian::Database source_;
    Xapian::Database target_;
    CheckLog& log_;
    ModelDamage damage_;
    TopicRecord record_;
    std::string record_bytes_;
    TopicClusters clusters_;
    std::vector<std::pair<Xapian::docid, std::uint32_t>> members_;  ///< Ascending.
    std::size_t next_member_ = 0;
    std::vector<float> decoded_;
};

}  // namespace braid
