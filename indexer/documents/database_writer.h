// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>

#include <xapian.h>

#include "braid/core/settings/settings.h"
#include "braid/indexer/documents/rebuild_place.h"

namespace braid {

/// The database that an Indexer writes: opened, made or rebuilt; then changed in batches, each of
/// them a transaction, so that a commit never falls between what belongs together. Throws Error
/// with the database's name for what is known to go wrong at opening, Xapian's errors later.
class DatabaseWriter {
  public:
    /// `settings` have their stop words resolved.
    DatabaseWriter(const std::string& path, const IndexSettings& settings, bool rebuild);
    /// Drops what is not committed, and a rebuild that was not published.
    ~DatabaseWriter();
    DatabaseWriter(const DatabaseWriter&) = delete;
    DatabaseWriter& operator=(const DatabaseWriter&) = delete;

    Xapian::WritableDatabase& database() { return database_; }
    bool rebuilds() const { return rebuilds_; }

    /// The document with this identity, 0 for none.
    Xapian::docid find(const std::string& id_term) const;

    void commit();
    /// The last commit, which closes the database. Then `complete`, where given, adds to the
    /// database in the folder that it is called with, and a rebuild takes the old database's place.
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
