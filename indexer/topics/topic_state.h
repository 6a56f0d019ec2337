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

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/vectors/nearest_centroid.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

/// Gives documents the terms of their clusters, and makes clusters wide enough for them. Empty for
/// a model without clusters.
class ClusterTerms {
  public:
    /// Of the model `id` in the database. Throws FormatError for clusters that can't be read.
    ClusterTerms(const Xapian::Database& database, std::string id, std::size_t dimensions);

    /// Replaces the document's cluster term. `stored` is the vector's value slot.
    void assign(Xapian::Document& document, std::string_view stored);

    /// Writes the clusters, if they grew since; within the transaction that has the documents.
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

/// How well a topic model still fits its database.
struct TopicState {
    TopicModelIdentity identity;
    TopicRecord record;
    TopicUse use;
    std::uint64_t documents = 0;
    std::uint64_t missing = 0;  ///< Documents without a vector.
    std::uint64_t stale = 0;    ///< With one of other words than they have now.
    std::uint64_t foreign = 0;  ///< With something in the slot that isn't this model's vector.

    /// The share of the documents that were folded in after training; at most 1.
    BRAID_API double folded_share() const;
    /// Of the words in the documents trained on, and of those folded in, the share that the model
    /// doesn't know; 0 where there are none.
    BRAID_API double unknown_share_then() const;
    BRAID_API double unknown_share_since() const;
    /// What to do about it, a sentence each; empty where all is well.
    BRAID_API std::vector<std::string> advice() const;
};

/// Looks at every document's length and value: about .1 s for 100,000. `vectors` is the database
/// itself or its sidecar. Throws ModelMismatch for a model it doesn't hold, and for a sidecar of
/// another database.
BRAID_API TopicState topic_state(const Xapian::Database& database, const Xapian::Database& vectors,
                                 const TopicModelIdentity& identity);

/// Takes the rankers of that topic model out of the database's own ranking, which could not be used
/// any longer; a ranking that nothing is left of, whole. Takes effect at the next commit.
void drop_from_ranking(Xapian::WritableDatabase& database, const std::string& name);

/// Binds an installed ranking whose weights were learned with the topic model `former` to the one
/// that takes its place, since searches would refuse it; unless these are vectors that something
/// else made. Takes effect at the next commit.
void carry_ranking(Xapian::WritableDatabase& database, const std::string& former,
                   const TopicModelIdentity& identity);

/// Takes a model out of the databases (or the sidecar, if that isn't ""): at once for searchers,
/// and then its vectors and keys. The
/// databases' own ranking goes on without it. Throws ModelMismatch where none has it.
BRAID_API void remove_topic_model(const std::vector<std::string>& databases,
                                  const std::string& sidecar, const std::string& name,
                                  const Progress& progress = {});

}  // namespace braid
