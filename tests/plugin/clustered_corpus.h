// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/tests/plugin/topic_corpus.h"

namespace braid::test {

/// Gives the documents of a shard that has the corpus's topic models cluster terms, for the model
/// `name`, and writes its clusters. Every seventeenth docid is left without a term.
void add_clusters(Xapian::WritableDatabase& shard, const TopicCorpus& corpus,
                  const std::string& name, std::size_t clusters);

/// As TopicCorpus::database, with clusters of both its models.
Xapian::Database clustered_database(const TopicCorpus& corpus, std::size_t shards,
                                    std::size_t clusters);

}  // namespace braid::test
