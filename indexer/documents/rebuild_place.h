// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace braid {

/// The folder beside a database in which it is rebuilt:
///
///     DB            the database that searchers open
///     DB.rebuild    the new one while it grows; after the exchange the old one, until it is
///     removed DB-old        the old one for a moment, where the file system can't exchange two
///     folders
///
/// A file in either of the two last names the UUID of the database in DB. By it, and by nothing
/// else, a later rebuild recognises what one that was cut short left, at whatever step, and removes
/// it. Not for two rebuilds at once: whoever uses it holds the lock of the database in DB.
class RebuildPlace {
  public:
    explicit RebuildPlace(const std::string& database);

    const std::string& folder() const { return folder_; }

    /// Puts the old database back where an exchange was cut short between two renames, so that DB
    /// is a database again.
    void recover() const;
    /// Makes `folder()` an empty place to rebuild the database with that UUID in, removing what
    /// earlier rebuilds of it left. Throws Error where anything else is there.
    void prepare(const std::string& uuid) const;
    /// Exchanges the two databases, in one step where the file system can: otherwise a searcher
    /// that opens the database just between two renames finds none. `uuid` is the new one's.
    void publish(const std::string& uuid) const;
    /// Removes `folder()`, whichever database it holds now.
    void clear() const noexcept;

  private:
    std::string database_;
    std::string folder_;
    std::string aside_;
};

}  // namespace braid
