// SPDX-License-Identifier: GPL-2.0-or-later
// Searching by a model:
//
//     #include <iostream>
//
//     braid::FusionModel model;
//     model.rankers = {{.ranker = "bm25", .weight = 0.7}, {.ranker = "lm-jm", .weight = 0.3}};
//     braid::Searcher searcher("packages");
//     searcher.rank_by(model);
//     for (const braid::SearchHit& hit : searcher.search({.text = "text editor"}).hits) {
//         std::cout << hit.rank << ' ' << hit.name << ' ' << hit.score << '\n';
//     }
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/search_request.h"
#include "braid/search_result.h"
#include "braid/settings.h"

namespace braid {

class VectorTables;
class PostingTables;
class StateFollower;

/// Bytes of a table that searches keep in memory, where nobody says another number.
inline constexpr std::size_t kTableBytes = std::size_t{256} << 20;

/// Tables of topic vectors and documents' lengths, and of the postings of terms, that hold so many
/// bytes at most (0: none). A table is read once searches have taken as long without it, or with
/// `at_once` when it is first asked for.
BRAID_API std::shared_ptr<VectorTables> new_vector_tables(std::size_t most_bytes = kTableBytes,
                                                          bool at_once = false);
BRAID_API std::shared_ptr<PostingTables> new_posting_tables(std::size_t most_bytes = kTableBytes,
                                                            bool at_once = false);

struct SearcherOptions {
    /// How queries are made; nothing: as the database was indexed .
    std::optional<IndexSettings> index = {};
    SearchSettings search = {};
    /// Those of queries hold here: words, nesting, expansion and time. Beyond the first three a
    /// search throws InvalidArgument; at the last it stops and says so (SearchResult::complete).
    Limits limits = {};
    /// Where documents' names are; nothing: as the database says, else in value slot 0, the term of
    /// prefix Q or the docid.
    std::optional<DocumentNameSource> names = {};
    /// Databases that hold the topic models and vectors instead, one for each shard, as
    /// adopt_topics makes them. For a Searcher that is made of a Database.
    std::vector<Xapian::Database> sidecars = {};
    /// Whether each search of a Searcher that is opened by path begins on the newest state.
    /// Otherwise it stays on the state that it opened until refresh(), or until a writer takes that
    /// state away.
    bool follows = true;
    /// Where topic vectors and documents' lengths are kept in memory; nothing: they are read from
    /// the database each time.
    /// Searchers of other threads over the same database may share it.
    std::shared_ptr<VectorTables> vectors = new_vector_tables();
    /// The same of the postings of terms, for searches that prune.
    std::shared_ptr<PostingTables> postings = new_posting_tables();
};

/// Searches a database, or several as one, with a fusion model or any Xapian weight, and says of
/// each result where its score comes from. Runs each search by the fastest way that gives the exact
/// answer, and says which and why in SearchResult::run.
///
/// Each search runs on one state of the database from start to end: its documents, topic models,
/// installed model and settings are those of one commit. Writers may commit, and `braid adopt
/// --retrain` replace topic models, meanwhile: until a retrain is published, searches use the
/// former models with the former vectors.
/// * Opened by path, it follows its database by itself: the next search after a commit is on the
///   new state (a remote database is looked at once a second), and one that a writer outran is run
///   again on the newest, from the start. A look costs a microsecond for each shard, a new state
///   some tenths of a millisecond. A database that was replaced, or that vanished and came back,
///   is followed, too; while it is away searches throw Error.
/// * Made of a Database, it never reopens that, since copies of a Database share their state. The
///   next search after its owner reopened it is on the new state. One that a writer outran throws
///   Xapian::DatabaseModifiedError: reopen the Database and search again.
///
/// One object belongs to one thread, with its database; a model may be shared.
/// Errors: braid::Error for what a caller or user can put right; Xapian's own for the rest.
class BRAID_API Searcher {
  public:
    /// Opens a folder, a stub file or HOST:PORT. Throws as open_databases does, ModelMismatch for
    /// sidecars of other databases, and FormatError where what the database says of itself can't
    /// be read.
    explicit Searcher(const std::string& path);
    explicit Searcher(const SearchPaths& paths);
    Searcher(const SearchPaths& paths, const SearcherOptions& options);
    /// Throws as above, and Xapian::DatabaseModifiedError.
    explicit Searcher(const Xapian::Database& database);
    Searcher(const Xapian::Database& database, const SearcherOptions& options);
    ~Searcher();
    Searcher(Searcher&&) noexcept;
    Searcher& operator=(Searcher&&) noexcept;

    /// Without a call to either, the first search reads the database's own model (see
    /// plugin/store/settings_store.h) and ranks by it, or by BM25 where the database has none. A
    /// model that one pass can't serve (core/model/serving.h) ranks the best of a first pass by
    /// those of its rankers that one pass can: SearchRequest's `window`. Throws ModelMismatch with
    /// the reason for a model that the database can't be ranked by; whether it has the topic models
    /// that rankers need shows in the next search.
    void rank_by(const FusionModel& model);
    void rank_by(const Xapian::Weight& weight);

    /// Throws InvalidArgument for a query that does not follow the syntax, and for sorting by a
    /// value where the model needs two passes; ModelMismatch for a
    /// model whose topic models the database doesn't have, and Error where writers commit faster
    /// than the search can run.
    SearchResult search(const SearchRequest& request);

    /// Moves to the newest state of a database that was opened by path, or to the state that the
    /// owner of a Database has it on, without waiting for the next search. Returns whether that is
    /// another state than before. Throws as the constructor does.
    bool refresh();

    /// Free text as a query; see QueryBuilder::bag_of_words.
    Xapian::Query bag_of_words(const std::string& text);

    /// The state that was searched last. Opened by path, the next search may be on another.
    const Xapian::Database& database() const;
    /// How queries are made, whether given or found.
    const IndexSettings& index_settings() const;

  private:
    std::unique_ptr<StateFollower> follower_;
};

}  // namespace braid
