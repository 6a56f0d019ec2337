// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/indexer/topics/cluster_terms.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

/// Gives documents that are added to a database their vectors in its topic models, so that they
/// come in with the same commit.
class TopicFolder {
  public:
    /// Opens the models that the database's catalogue names; none is right, too. Throws
    /// FormatError for one that can't be read.
    explicit TopicFolder(const Xapian::WritableDatabase& database);

    bool empty() const { return models_.empty(); }

    /// Call it last: what is added to the document afterwards makes the vectors stale.
    void add_vectors(Xapian::Document& document);

    /// Writes how many documents were folded in, and how many of their words were unknown; within
    /// the transaction that has the documents.
    void write_use(Xapian::WritableDatabase& database);

  private:
    struct Model {
        StoredTopicModel stored;
        TopicUse use;
        ClusterTerms clusters;
    };
    std::vector<Model> models_;
    bool used_ = false;
};

}  // namespace braid
