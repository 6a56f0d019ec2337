// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/progress.h"
#include "braid/settings.h"

namespace braid {

/// Counts of the vectors in one shard.
struct VectorCounts {
    std::uint64_t documents = 0;
    std::uint64_t written = 0;
    std::uint64_t folded = 0;  ///< Of those written.
};

/// The vector that training gave a document (a shard's docid) of that length; empty if training
/// didn't see it in this form.
using TrainedVector = std::function<std::span<const float>(Xapian::docid, Xapian::termcount)>;

/// The value of a document (a shard's docid) of that length; "" if it has none, empty if it keeps
/// what it has.
using GivenValue =
    std::function<std::optional<std::string>(Xapian::docid, Xapian::termcount length)>;

/// Throws InvalidArgument without a database, or with one sidecar for several.
void check_targets(const std::vector<std::string>& databases, const std::string& sidecar);

VectorCoding coding_of(TopicSettings::Coding coding, TopicVectorKind kind);

/// Since 1970.
std::uint64_t seconds_now();

/// One database that takes topic models, or its sidecar: the steps of publishing a model in it.
/// Each step commits, so that between steps, and after a kill, the database holds the models that
/// its catalogue names. Throws Xapian's errors.
class TopicShard {
  public:
    /// Opens `spec` for writing or, if `sidecar` is not "", that folder, created if absent.
    /// `remedy` is the error message's advice for a database that can't be written. Throws
    /// DatabaseLocked at once (wait_for_lock), and Error; see adopt_topics.
    TopicShard(const std::string& spec, const std::string& sidecar, std::size_t batch,
               const std::string& remedy = kOwnDatabase);

    static constexpr const char* kOwnDatabase =
        "keep the topics in a database of their own: --sidecar DIR";

    const std::string& spec() const { return spec_; }
    Xapian::WritableDatabase& target() { return target_; }

    /// Removes leftovers of models outside the catalogue, except `kept`, which is about to be
    /// written. Calls `keep_going` regularly, which stops by throwing.
    void clear_leftovers(const std::string& kept, const std::function<void()>& keep_going);

    /// Writes the model's keys and clusters, if any, but not its catalogue entry.
    void write_model(const std::string& id, const TopicRecord& record, const TopicSummary& summary,
                     const TopicClusters& clusters, const TopicModel& model);

    /// Writes missing and stale vectors.
    VectorCounts write_vectors(StoredTopicModel& model, const TrainedVector& trained,
                               const Progress& progress);

    /// Writes given values that differ from the stored ones into the model's slot. Returns the
    /// number of changed values.
    std::uint64_t write_given(const TopicRecord& record, const GivenValue& given,
                              const Progress& progress);

    /// The database with the documents' words: the target itself without a sidecar.
    const Xapian::Database& source() const { return source_; }

    /// Writes missing and stale records; returns their number.
    std::uint64_t write_records(const DocumentRecords& records, const Progress& progress);

    /// Adds the model to the catalogue; returns the id of the one it replaces, or "". The same
    /// commit rebinds an installed model that was learned with the replaced one, since searches
    /// would refuse it; not for the user's vectors.
    std::string publish(const TopicModelIdentity& identity);

    /// Removes a model's vectors and keys; if its record is damaged, the values marked as its
    /// own.
    void clear(const std::string& id, const std::function<void()>& keep_going);

    /// Removes these terms from all documents.
    void remove_terms(const std::set<std::string>& terms, const std::function<void()>& keep_going);

    /// Removes the model's clusters and their terms.
    void clear_clusters(const std::string& id, const std::function<void()>& keep_going);

    /// Calls work(0) to work(count - 1), with one transaction per batch.
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
    /// Documents keep the terms of clusters unless `clustered` names a model with clusters.
    void remove_vectors(unsigned slot, const std::string& clustered,
                        const std::function<bool(std::string_view)>& is_own,
                        const std::function<void()>& keep_going);
    void drop_gone_documents();

    std::string spec_;
    Xapian::Database source_;  ///< Database with the words; the target itself without a sidecar.
    Xapian::WritableDatabase target_;
    bool sidecar_ = false;
    std::size_t batch_;
};

/// Finds and writes the neighbours of the shard's documents that have none, or stale ones, among
/// all its documents by their vectors in the model `of`: docs/algorithms/neighbours.md.
VectorCounts write_neighbours(TopicShard& shard, const std::string& id, const TopicRecord& record,
                              const std::string& of, Executor& executor, const Progress& progress);

/// The value slot for the vectors of the model about to be written: its existing one after killed
/// work or with a damaged record, else a free one.
unsigned slot_for_model(const std::string& id, std::vector<TopicShard>& shards,
                        const IndexSettings& settings);

}  // namespace braid
