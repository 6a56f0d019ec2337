// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>

#include <xapian.h>

#include "braid/indexer/documents/rebuild_place.h"
#include "braid/settings.h"

namespace braid {

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
