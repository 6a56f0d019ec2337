// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <xapian.h>

#include "braid/core/vectors/nearest_centroid.h"
#include "braid/plugin/store/topic_clusters.h"

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

}  // namespace braid
