// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"

namespace braid {

/// Xapian creates a glass database file by file: the lock, the version file under a temporary name,
/// then tables without a byte; the version file gets its name last. A process that is killed, or
/// a disk that fills, leaves a folder that Xapian neither opens nor creates a database in.

/// Whether `folder` holds exactly such leftovers. A database that lost its version file is not
/// taken for one: its tables have bytes. So nothing that was ever stored is in the folder.
bool is_unfinished_database(const std::string& folder);

/// Removes the leftovers, so that a database can be created in `folder`; changes nothing where
/// is_unfinished_database is false. Throws DatabaseLocked where another program is creating a
/// database there now, Error where a file can't be removed.
void clear_unfinished_database(const std::string& folder);

/// Whether `spec` is HOST:PORT, and no file of that name exists.
BRAID_API bool is_on_server(const std::string& spec);

/// As open_databases, with a handle for each spec.
BRAID_API std::vector<Xapian::Database> open_shards(const std::vector<std::string>& specs);

/// One database of these, in order. Takes the handles, for they may no longer be what they were: a
/// first one of several databases (a stub) shares its list of them with the result in Xapian 2.
inline Xapian::Database joined(std::vector<Xapian::Database> shards) {
    if (shards.size() == 1) return shards.front();
    Xapian::Database all;
    for (const Xapian::Database& shard : shards) all.add_database(shard);
    return all;
}

/// Times to wait for a lock before long work and after it, and the interval between attempts.
inline constexpr std::chrono::milliseconds kLockPatienceBefore{15'000};
inline constexpr std::chrono::milliseconds kLockPatienceAfter{60'000};
inline constexpr std::chrono::milliseconds kLockPause{5};

/// Opens an existing database for writing, by the same specs. Throws Error as above, and
/// DatabaseLocked.
BRAID_API Xapian::WritableDatabase open_for_writing(const std::string& spec);

/// What `open()` returns, called until it no longer throws DatabaseLocked, for so long at most: a
/// program that writes now and then holds the lock for a moment. `keep_waiting` is called before
/// each further attempt, and stops by throwing.
template <typename Open, typename KeepWaiting>
auto wait_for_lock(std::chrono::milliseconds patience, Open&& open, KeepWaiting&& keep_waiting) {
    const auto give_up = std::chrono::steady_clock::now() + patience;
    for (;;) {
        try {
            return open();
        } catch (const DatabaseLocked&) {
            if (std::chrono::steady_clock::now() >= give_up) throw;
        }
        keep_waiting();
        std::this_thread::sleep_for(kLockPause);
    }
}
template <typename Open>
auto wait_for_lock(std::chrono::milliseconds patience, Open&& open) {
    return wait_for_lock(patience, open, [] {});
}

/// Creates an empty database in a folder that is absent, empty, or holds a creation that was cut
/// short (unfinished_database.h); parent folders must exist. Throws Error, DatabaseLocked where
/// another program is creating one there, and never touches a folder with anything else in it.
BRAID_API Xapian::WritableDatabase create_database(const std::string& path);

/// The kind of a spec's target, without opening it.
enum class DatabasePlace {
    kNothing,   ///< No such path, an empty folder, or a creation that was cut short.
    kDatabase,  ///< A database's folder, a stub or single-file database, or a server.
    kOther,     ///< A folder with other content.
};
BRAID_API DatabasePlace look_at(const std::string& spec);

/// Turns `error`, thrown by Xapian while `spec` was opened or used, into a Braid error with the
/// problem and a remedy.
BRAID_API std::string explain(const Xapian::Error& error, const std::string& spec);

}  // namespace braid
