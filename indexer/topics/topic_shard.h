// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/base/progress.h"
#include "braid/core/settings/settings.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

/// What became of the documents' vectors in one shard.
struct VectorCounts {
    std::uint64_t documents = 0;
    std::uint64_t written = 0;
    std::uint64_t folded = 0;  ///< Of those written.
};

/// The vector that training gave a document of that length (a shard's docid); empty for one that
/// training did not see, or saw otherwise.
using TrainedVector = std::function<std::span<const float>(Xapian::docid, Xapian::termcount)>;

/// The vector of a document (a shard's docid), of length 1 or 0; empty for one that has none.
using GivenVector = std::function<std::span<const float>(Xapian::docid)>;

/// One database that takes topic models, or its sidecar: the steps of publishing a model in it.
/// Each step commits what it did, so that between two steps, and after a kill in one, the database
/// holds the models that its catalogue names. Throws Xapian's errors.
class TopicShard {
  public:
    /// Opens `spec` for writing or, where `sidecar` is not "", that folder, which is made if
    /// absent. `remedy` is what it says can be done about a database that can't be written to.
    /// Throws DatabaseLocked at once (wait_for_lock), and Error; see adopt_topics.
    TopicShard(const std::string& spec, const std::string& sidecar, std::size_t batch,
               const std::string& remedy = kOwnDatabase);

    static constexpr const char* kOwnDatabase =
        "keep the topics in a database of their own: --sidecar DIR";

    const std::string& spec() const { return spec_; }
    Xapian::WritableDatabase& target() { return target_; }

    /// Removes what earlier work left of models that the catalogue doesn't name; `kept` is about
    /// to be written. `keep_going` is asked now and then, and stops by throwing.
    void clear_leftovers(const std::string& kept, const std::function<void()>& keep_going);

    /// The model's keys, but not the catalogue's entry; without clusters, if there are none.
    void write_model(const std::string& id, const TopicRecord& record, const TopicSummary& summary,
                     const TopicClusters& clusters, const TopicModel& model);

    /// Gives every document the vector that it lacks, or that its words have outgrown.
    VectorCounts write_vectors(StoredTopicModel& model, const TrainedVector& trained,
                               const Progress& progress);

    /// Gives every document the vector that there is for it, unless it has it already, and takes
    /// away what others have in the slot. Returns how many values it changed.
    std::uint64_t write_given(const std::string& id, const TopicRecord& record,
                              const GivenVector& given, const Progress& progress);

    /// Gives every document the record that it lacks or has outgrown; returns how many.
    std::uint64_t write_records(const DocumentRecords& records, const Progress& progress);

    /// Names the model in the catalogue; the id of the one it replaces, or "". An installed ranking
    /// whose weights were learned with that one goes on with the new model in the same commit,
    /// since searches would refuse it; unless these are vectors that something else made.
    std::string publish(const TopicModelIdentity& identity);

    /// Removes a model's vectors and keys; of one whose record is damaged, what is marked as its
    /// own.
    void clear(const std::string& id, const std::function<void()>& keep_going);

    /// Removes these terms from all documents.
    void remove_terms(const std::set<std::string>& terms, const std::function<void()>& keep_going);

    /// Removes the model's clusters and their terms.
    void clear_clusters(const std::string& id, const std::function<void()>& keep_going);

    /// Calls work(0) to work(count - 1), with a transaction for every batch: what is in one is seen
    /// whole or not at all.
    void in_batches(std::size_t count, const std::function<void(std::size_t)>& work);

  private:
    struct Pending {
        Xapian::docid document;
        Xapian::termcount length;
    };
    void open_sidecar(const std::string& folder);
    std::vector<Pending> pending(const StoredTopicModel& model, VectorCounts& counts) const;
    struct Work;
    void write_vector(Work& work, const Pending& next, std::span<const float> trained);
    /// Without `clustered`, the id of a model with clusters, they keep their terms.
    void remove_vectors(unsigned slot, const std::string& clustered,
                        const std::function<bool(std::string_view)>& is_own,
                        const std::function<void()>& keep_going);
    void drop_gone_documents();

    std::string spec_;
    Xapian::Database source_;  ///< What has the words; the target itself without a sidecar.
    Xapian::WritableDatabase target_;
    bool sidecar_ = false;
    std::size_t batch_;
};

/// The value slot for the vectors of the model that is about to be written: where earlier work was
/// killed, or its record is damaged, the one that it has, else a free one.
unsigned slot_for_model(const std::string& id, std::vector<TopicShard>& shards,
                        const IndexSettings& settings);

}  // namespace braid
