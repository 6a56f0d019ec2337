// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/settings/settings.h"
#include "braid/indexer/formats/document_reader.h"

namespace braid {

/// What became of the documents read so far; the first four add up to their number.
struct IndexCounts {
    std::uint64_t added = 0;
    std::uint64_t replaced = 0;    ///< Known from an earlier run, and not the same any more.
    std::uint64_t unchanged = 0;   ///< Known from an earlier run, and left alone.
    std::uint64_t duplicates = 0;  ///< Of a name that this run had before; the last one stays.
    std::uint64_t unnamed = 0;     ///< Without a name of their own: called FILE:LINE.
    std::uint64_t wordless = 0;    ///< Without a word to be found by.

    std::uint64_t read() const { return added + replaced + unchanged + duplicates; }
};

struct IndexerOptions {
    Progress progress = {};  ///< May be empty.
    WarningSink warn = {};   ///< May be empty. What it throws ends the work as an error does.
    std::uint64_t total_bytes = 0;  ///< Of all readers to come, for progress; 0 for not known.
    /// Replaces the database by a new one at `finish`, and not before: searchers keep the old one
    /// until then, and it stays if the work fails or is stopped.
    bool rebuild = false;
};

/// Writes documents into a Xapian database, which is made where there is none. The same input once
/// more gives the same database: a document replaces the one of its name. Commits after every
/// `settings.batch` documents; what fails or is killed leaves the last commit, and the same input
/// once more completes it. One thread.
///
/// Every Xapian error comes out as a braid::Error that names the database; after any error the
/// Indexer is of no more use.
class BRAID_API Indexer {
  public:
    /// Throws Error where the database is locked, damaged or can't be made, where another program
    /// wrote it, or where `settings` index otherwise than it was indexed (see `settings_of`).
    Indexer(const std::string& database, const IndexSettings& settings,
            IndexerOptions options = {});
    /// Drops what is not committed.
    ~Indexer();
    Indexer(const Indexer&) = delete;
    Indexer& operator=(const Indexer&) = delete;

    /// Reads to the end. Where options.progress returns false it commits what was read and throws
    /// Cancelled.
    void add(DocumentReader& reader);
    void add(const SourceDocument& document);

    /// What else the database is to have before a rebuild is published: called with the folder it
    /// is in, complete and not locked. What it throws leaves a rebuild unpublished.
    using Complete = std::function<void(const std::string& folder)>;

    /// Commits the rest, calls `complete` where given and, for a rebuild, publishes the result.
    /// Call it once, last.
    void finish(const Complete& complete = {});

    const IndexCounts& counts() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace braid
