// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/base/export.h"

namespace braid {

/// Xapian creates a glass database file by file: the lock, the version file under a temporary name,
/// then tables without a byte; the version file gets its name last. A process that is killed, or
/// a disk that fills, leaves a folder that Xapian neither opens nor creates a database in.

/// Whether `folder` holds exactly such leftovers. A database that lost its version file is not
/// taken for one: its tables have bytes. So nothing that was ever stored is in the folder.
BRAID_API bool is_unfinished_database(const std::string& folder);

/// Removes the leftovers, so that a database can be created in `folder`; changes nothing where
/// is_unfinished_database is false. Throws DatabaseLocked where another program is creating a
/// database there now, Error where a file can't be removed.
BRAID_API void clear_unfinished_database(const std::string& folder);

}  // namespace braid
