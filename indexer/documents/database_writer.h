// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>

#include <xapian.h>

#include "braid/settings.h"

namespace braid {

/// The folder beside a database in which it is rebuilt:
///
///     DB            the database that searchers open
///     DB.rebuild    the new one while it grows, the old one after the exchange
///     DB-old        the old one during an exchange by two renames
///
/// A file in either of the last two names the UUID of the database in DB. Only by that file does a
/// later rebuild recognise and remove the leftovers of an interrupted one. Callers hold the lock of
/// the database in DB, so two rebuilds never run at once.
class RebuildPlace {
  public:
    explicit RebuildPlace(const std::string& database);

    const std::string& folder() const { return folder_; }

    /// Restores the old database if an exchange was interrupted between two renames, so that DB
    /// is a database again.
    void recover() const;
    /// Makes `folder()` an empty folder for rebuilding the database with that UUID, and removes
    /// leftovers of its earlier rebuilds. Throws Error if the folder holds anything else.
    void prepare(const std::string& uuid) const;
    /// Exchanges the two databases, atomically if the file system can; otherwise a searcher that
    /// opens the database between the two renames finds none. `uuid` is the new one's.
    void publish(const std::string& uuid) const;
    /// Removes `folder()`, whatever it holds.
    void clear() const noexcept;

  private:
    std::string database_;
    std::string folder_;
    std::string aside_;
};

/// The database that an Indexer writes: opened, created or rebuilt, then changed in batches. Each
/// batch is a transaction, so that no commit splits related changes. Throws Error with the
/// database's name for known problems at opening, Xapian's errors later.
class DatabaseWriter {
  public:
    /// `settings` have their stop words resolved.
    DatabaseWriter(const std::string& path, const IndexSettings& settings, bool rebuild);
    /// Drops uncommitted changes and an unpublished rebuild.
    ~DatabaseWriter();
    DatabaseWriter(const DatabaseWriter&) = delete;
    DatabaseWriter& operator=(const DatabaseWriter&) = delete;

    Xapian::WritableDatabase& database() { return database_; }
    bool rebuilds() const { return rebuilds_; }

    /// The docid with this identity, or 0.
    Xapian::docid find(const std::string& id_term) const;

    void commit();
    /// Makes the last commit and closes the database. Then `complete`, if given, adds to the
    /// database in the given folder, and a rebuild replaces the old database.
    void finish(const std::function<void(const std::string& folder)>& complete);

  private:
    void open(const IndexSettings& settings);
    void begin_rebuild();

    std::string path_;
    RebuildPlace place_;
    bool rebuilds_ = false;
    Xapian::WritableDatabase old_;  // held for its lock
    Xapian::WritableDatabase database_;
    bool in_transaction_ = false;
};

}  // namespace braid
