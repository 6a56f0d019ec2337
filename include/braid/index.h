// SPDX-License-Identifier: GPL-2.0-or-later
// A database of a file of documents:
//
//     #include "braid/read.h"
//
//     braid::Indexer indexer("packages", braid::IndexSettings{});
//     const auto reader = braid::open_documents({"Packages"}, "debian", {});
//     indexer.add(*reader);
//     indexer.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "braid/error.h"
#include "braid/progress.h"
#include "braid/read.h"
#include "braid/settings.h"

namespace braid {

/// Counts of the documents read so far; the first four add up to their number.
struct IndexCounts {
    std::uint64_t added = 0;
    std::uint64_t replaced = 0;    ///< From an earlier run, since changed.
    std::uint64_t unchanged = 0;   ///< From an earlier run, left as is.
    std::uint64_t duplicates = 0;  ///< Same name twice in this run; the last one stays.
    std::uint64_t unnamed = 0;     ///< Without a name; named FILE:LINE.
    std::uint64_t wordless = 0;    ///< Without a searchable word.

    std::uint64_t read() const { return added + replaced + unchanged + duplicates; }
};

struct IndexerOptions {
    Progress progress = {};         ///< May be empty.
    WarningSink warn = {};          ///< May be empty. Its exceptions end the work.
    std::uint64_t total_bytes = 0;  ///< Of all readers, for progress; 0: unknown.
    /// Replaces the database by a new one at `finish`. Searchers use the old one until then, and
    /// it stays if the work fails or is stopped.
    bool rebuild = false;
};

/// Writes documents into a Xapian database, created if absent. A document replaces the one with the
/// same name, so repeating an input gives the same database. Commits after every `settings.batch`
/// documents; after a failure or kill the last commit remains, and repeating the input completes
/// it. For one thread.
///
/// Turns every Xapian error into a braid::Error that names the database; after any error the
/// Indexer is unusable.
class BRAID_API Indexer {
  public:
    /// Throws Error if the database is locked, damaged, can't be created, was written by another
    /// program, or was indexed with other settings (see `settings_of`).
    Indexer(const std::string& database, const IndexSettings& settings,
            IndexerOptions options = {});
    /// Drops uncommitted changes.
    ~Indexer();
    Indexer(const Indexer&) = delete;
    Indexer& operator=(const Indexer&) = delete;

    /// Reads to the end. If options.progress returns false, commits the documents read and throws
    /// Cancelled.
    void add(DocumentReader& reader);
    void add(const SourceDocument& document);

    /// Adds to the database before a rebuild is published: called with its folder, complete and
    /// unlocked. An exception leaves the rebuild unpublished.
    using Complete = std::function<void(const std::string& folder)>;

    /// Commits the rest, calls `complete` if given and, for a rebuild, publishes the result.
    /// Call it once, last.
    void finish(const Complete& complete = {});

    const IndexCounts& counts() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace braid
