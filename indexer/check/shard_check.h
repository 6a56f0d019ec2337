// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/model/fusion_model.h"
#include "braid/core/topics/topic_model.h"
#include "braid/indexer/check/check_log.h"
#include "braid/indexer/check/model_check.h"
#include "braid/indexer/topics/topic_shard.h"
#include "braid/plugin/store/document_records.h"

namespace braid {

/// What a repair does to documents' values. All commit what they did.

/// Removes the values of these documents in the slot.
void remove_values(TopicShard& shard, unsigned slot, const std::vector<Xapian::docid>& documents);

/// Removes values from kFirstTopicSlot on that are marked as records of documents; returns how
/// many. For where the place of records is damaged.
std::size_t remove_lost_records(TopicShard& shard);

/// The model's vectors as they are stored, without those that can't be read.
FloatMatrix read_vectors(const Xapian::Database& database, const std::string& id,
                         const TopicRecord& record);

/// Puts `documents`, or all with a vector, into the clusters that the model has; returns how many.
std::size_t write_clusters(TopicShard& shard, const std::string& id, const TopicRecord& record,
                           const std::optional<std::vector<Xapian::docid>>& documents);

/// What a repair has to do for a shard.
struct ShardDamage {
    bool settings = false;  ///< Of the index; only another shard has them.
    bool names = false;
    bool catalogue = false;
    bool installed = false;
    bool place_of_records = false;
    std::vector<Xapian::docid> records = {};  ///< Documents with a damaged one.
    std::vector<ModelDamage> models = {};     ///< Those with any.
    bool leftovers = false;                   ///< Of models that the catalogue doesn't name.
    std::set<std::string> left_keys = {};     ///< Metadata keys of models without a record.
    std::set<std::string> left_terms = {};    ///< Terms of clusters of unknown models.

    bool any() const;
};

/// Reads what Braid keeps in one shard. Numbers that come from the database size nothing before
/// they are known to be in it.
class ShardCheck {
  public:
    /// `source` has the documents, `target` what Braid keeps: the same, or its sidecar. Borrows the
    /// log.
    ShardCheck(const Xapian::Database& source, const Xapian::Database& target, bool is_sidecar,
               CheckLog& log)
        : source_(source), target_(target), is_sidecar_(is_sidecar), log_(log) {}

    void run();

    const ShardDamage& damage() const { return damage_; }
    /// What shards have to have in common: what it is, and its bytes.
    const std::vector<std::pair<std::string, std::string>>& common() const { return common_; }

  private:
    void check_sidecar();
    void check_settings();
    void check_catalogue();
    void check_models();
    void check_leftovers();
    void find_left_keys(const std::set<std::string>& ids);
    void find_left_terms(const std::set<std::string>& ids);
    void check_installed();
    void check_installed_topics(const FusionModel& model) const;
    void check_records();
    struct RecordCounts;
    void check_record(Xapian::docid docid, const std::string& bytes, Xapian::termcount length,
                      const DocumentRecords& records, RecordCounts& counts);

    Xapian::Database source_;
    Xapian::Database target_;
    bool is_sidecar_;
    CheckLog& log_;
    ShardDamage damage_;
    std::vector<TopicModelIdentity> catalogue_;
    std::vector<std::pair<std::string, std::string>> common_;
};

}  // namespace braid
