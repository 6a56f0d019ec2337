// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

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

}  // namespace braid
