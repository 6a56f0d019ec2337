// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/indexer/check/shard_check.h"
#include "braid/indexer/topics/topic_shard.h"
#include "braid/progress.h"

namespace braid {

/// Repairs or removes what ShardCheck found. Each step commits, so that a repair can resume after a
/// kill.
class ShardRepair {
  public:
    /// Opens and locks the database or its sidecar; throws as TopicShard does.
    ShardRepair(const std::string& spec, const std::string& sidecar, const Progress& progress);

    /// The repairs, one sentence each. Sets `needs_statistics` if records of documents must be
    /// rebuilt: call adopt_statistics for that, after destroying this object.
    std::vector<std::string> run(const ShardDamage& damage);
    bool needs_statistics() const { return needs_statistics_; }

  private:
    void mend_names();
    void mend_catalogue();
    void remove_model(const ModelDamage& model);
    void mend_model(const ModelDamage& model);
    void mend_words(const ModelDamage& model);
    void mend_vectors(const ModelDamage& model);
    void mend_clusters(const ModelDamage& model);
    void mend_records(const ShardDamage& damage);
    void clear_leftovers(const ShardDamage& damage);
    void say(const std::string& what) {
        done_.push_back("database '" + shard_.spec() + "': " + what);
    }
    void keep_going() const;

    TopicShard shard_;
    const Progress& progress_;
    std::vector<std::string> done_;
    bool needs_statistics_ = false;
};

/// Repairs damaged metadata of `target` from `other` if all shards share it: index settings, the
/// list of topic models, the sources of names and records of documents, the installed model, and
/// the record and words of topic models with the same id. Commits; returns the number of keys
/// written.
std::size_t copy_shared_keys(Xapian::WritableDatabase& target, const ShardDamage& damage,
                             const Xapian::Database& other, const ShardDamage& damage_of_other);

}  // namespace braid
