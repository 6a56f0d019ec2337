// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/vectors/nearest_centroid.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/progress.h"

namespace braid {

/// Gives documents the terms of their clusters, and widens clusters to hold them. Does nothing for
/// a model without clusters.
class ClusterTerms {
  public:
    /// Reads the clusters of model `id`. Throws FormatError for unreadable clusters.
    ClusterTerms(const Xapian::Database& database, std::string id, std::size_t dimensions);

    /// Replaces the document's cluster term. `stored` is the vector's value slot.
    void assign(Xapian::Document& document, std::string_view stored);

    /// Writes the clusters if they grew, within the transaction of the documents.
    void write(Xapian::WritableDatabase& database);

  private:
    std::string id_;
    std::size_t dimensions_;
    TopicClusters clusters_;
    std::optional<NearestCentroid> nearest_;
    bool grown_ = false;
};

/// Removes the terms of the model's clusters from a document.
void remove_cluster_terms(Xapian::Document& document, std::string_view id);

/// State of a topic model against its database.
struct TopicState {
    TopicModelIdentity identity;
    TopicRecord record;
    TopicUse use;
    std::uint64_t documents = 0;
    std::uint64_t missing = 0;  ///< Documents without a vector.
    std::uint64_t stale = 0;    ///< Documents with a stale vector.
    std::uint64_t foreign = 0;  ///< Documents with another value in the slot.

    /// Share of documents folded in after training; at most 1.
    double folded_share() const;
    /// Share of unknown words in the training documents, and in folded-in ones; 0 if there are
    /// none.
    double unknown_share_then() const;
    double unknown_share_since() const;
    /// Advice, one sentence each; may be empty.
    std::vector<std::string> advice() const;
};

/// Reads every document's length and value: about .1 s for 100,000. `vectors` is the database
/// itself or its sidecar. Throws ModelMismatch for an absent model and for a sidecar of another
/// database.
TopicState topic_state(const Xapian::Database& database, const Xapian::Database& vectors,
                       const TopicModelIdentity& identity);

/// Removes the rankers of that topic model from the installed model, which would be unusable
/// otherwise; removes the installed model if nothing is left. Takes effect at the next commit.
void drop_from_ranking(Xapian::WritableDatabase& database, const std::string& name);

/// Rebinds an installed model that was learned with the topic model `former` to its replacement,
/// since searches would refuse it; not for the user's vectors. Takes effect at the next commit.
void carry_ranking(Xapian::WritableDatabase& database, const std::string& former,
                   const TopicModelIdentity& identity);

/// Makes the table files of what an adoption has written to.
void make_table_files(const std::vector<std::string>& databases, const std::string& sidecar);

/// Removes a topic model from the databases (or the sidecar, if not ""): first from the catalogue,
/// then its vectors and keys. Installed models continue without it. Throws ModelMismatch if no
/// database has it.
void remove_topic_model(const std::vector<std::string>& databases, const std::string& sidecar,
                        const std::string& name, const Progress& progress = {});

}  // namespace braid
