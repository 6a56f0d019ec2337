// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/adopt.h"
#include "braid/tests/indexer/documents/index_run.h"

namespace braid::test {

/// Documents "d{first}" ... whose words follow topics: each has two of 6, and words of its own.
Documents topical_documents(std::size_t count, std::size_t first = 0, std::size_t longest = 30);

/// A database of topical documents.
struct TopicalDatabase {
    explicit TopicalDatabase(std::size_t count, std::size_t first = 0, std::size_t longest = 30);

    TemporaryFolder folder;
    std::string path = folder / "db";
};

/// Two of them, whose documents are numbered on.
struct TopicalShards {
    TopicalShards(std::size_t first_count, std::size_t second_count);

    TemporaryFolder folder;
    std::vector<std::string> paths = {folder / "0", folder / "1"};
};

/// An LSA of `dimensions`.
TopicSettings small_model(std::size_t dimensions, const std::string& model = "lsa");

/// Learns the models with one thread, in batches of `batch` documents.
std::vector<AdoptedModel> adopt(const std::vector<std::string>& databases,
                                const std::vector<TopicSettings>& models,
                                AdoptOptions options = {});
AdoptedModel adopt(const std::string& database, const TopicSettings& model,
                   AdoptOptions options = {});

/// Installs BM25 and the similarities in these topic models, which share the weight 10, as what
/// ranks the database.
void rank_by_topics(const std::string& path, const std::vector<std::string>& rankers);

/// What each document has in the slot.
std::map<Xapian::docid, std::string> values_of(const Xapian::Database& database, unsigned slot);

/// What the database holds of its documents, but for value slots of topic vectors.
Dump dump_without_topics(const Xapian::Database& database);

/// Names and bytes of all files of a folder, but for the lock.
std::map<std::string, std::string> files_of(const std::string& folder);

/// What a reader may count on: of every model that `vectors` names there are the record, the
/// topics and all words' vectors, and every document of `database` has a vector of it that opens.
/// "" if all is well.
std::string problem_of(const Xapian::Database& database, const Xapian::Database& vectors);

/// What is there of models that the catalogue doesn't name: keys, and slots in use from
/// kFirstTopicSlot on. "" for nothing.
std::string leftovers_of(const Xapian::Database& vectors);

}  // namespace braid::test
