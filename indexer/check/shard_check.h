// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/topics/topic_model.h"
#include "braid/indexer/check/check_log.h"
#include "braid/indexer/check/model_check.h"
#include "braid/indexer/topics/topic_shard.h"
#include "braid/model.h"
#include "braid/plugin/store/document_records.h"

namespace braid {

/// A repair's changes to documents' values. All commit.

/// Removes the values of these documents in the slot.
void remove_values(TopicShard& shard, unsigned slot, const std::vector<Xapian::docid>& documents);

/// Removes values from kFirstTopicSlot on that are marked as records of documents; returns how
/// many. Use it if the metadata that locates records is damaged.
std::size_t remove_lost_records(TopicShard& shard);

/// The model's stored vectors, without unreadable ones.
FloatMatrix read_vectors(const Xapian::Database& database, const std::string& id,
                         const TopicRecord& record);

/// Assigns `documents`, or all with a vector, to the model's clusters; returns how many.
std::size_t write_clusters(TopicShard& shard, const std::string& id, const TopicRecord& record,
                           const std::optional<std::vector<Xapian::docid>>& documents);

/// Damage to a shard, for a repair.
struct ShardDamage {
    bool settings = false;  ///< Index settings; only another shard has them.
    bool names = false;
    bool stemmers = false;
    bool catalogue = false;
    bool installed = false;
    bool history = false;  ///< The list of installed models.
    bool place_of_records = false;
    std::vector<Xapian::docid> records = {};  ///< Documents with a damaged record.
    std::vector<ModelDamage> models = {};     ///< Models with damage.
    bool leftovers = false;                   ///< Data of models outside the catalogue.
    std::set<std::string> left_keys = {};     ///< Metadata keys of models without a record.
    std::set<std::string> left_terms = {};    ///< Terms of clusters of unknown models.
    bool table_file = false;

    bool any() const;
};

/// Checks Braid's data in one shard. Numbers from the database size no memory before they are
/// verified.
class ShardCheck {
  public:
    /// `source` has the documents, `target` Braid's data: the same database or its sidecar. Borrows
    /// the log.
    ShardCheck(const Xapian::Database& source, const Xapian::Database& target, bool is_sidecar,
               CheckLog& log)
        : source_(source), target_(target), is_sidecar_(is_sidecar), log_(log) {}

    void run();

    const ShardDamage& damage() const { return damage_; }
    /// Data that must be equal in all shards: name and bytes.
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
    void check_table_file();
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
