// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <xapian.h>

#include "braid/core/settings/settings.h"

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
    bool rebuilds() const { return !staging_.empty(); }

    /// The document with this identity, 0 for none.
    Xapian::docid find(const std::string& id_term) const;

    void commit();
    /// The last commit; then a rebuild takes the old database's place, in one step where the file
    /// system can.
    void finish();

  private:
    void open(const IndexSettings& settings);
    void begin_rebuild();
    void publish();

    std::string path_;
    std::string staging_;           // "" unless this is a rebuild
    Xapian::WritableDatabase old_;  // held for its lock
    Xapian::WritableDatabase database_;
    bool in_transaction_ = false;
};

}  // namespace braid
