// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/plugin/store/newest_state.h"

namespace braid {

/// The databases of a search, open on one state.
struct OpenedDatabases {
    Xapian::Database database;
    std::vector<Xapian::Database> sidecars = {};
    bool stays = false;  ///< Nobody else has the handles, and they are never reopened.
};

/// Throws as open_databases does.
BRAID_API OpenedDatabases open_paths(const SearchPaths& paths);

/// Identifies the state of a handle: of its documents, topic models, installed model and settings.
/// Uncommitted changes of a WritableDatabase count, except changes of documents' content. Not for
/// remote databases: each value costs a round trip.
BRAID_API std::string state_token(const OpenedDatabases& opened);

/// Returns `work(opened)`, run on one state of the databases from start to end: if a writer
/// overtakes it, opens them again and repeats `work` (on_newest_state). `tries` names the attempts
/// in errors: "attempts to read the settings".
template <typename Work>
auto read_databases(const SearchPaths& paths, const std::string& tries, Work&& work) {
    OpenedDatabases opened = open_paths(paths);
    const auto reopen = [&] {
        const std::string before = state_token(opened);
        opened = open_paths(paths);
        return state_token(opened) != before;
    };
    return on_newest_state(tries, reopen, [&](unsigned) { return work(opened); });
}

/// The databases of a long-lived reader. For one thread.
class FollowedDatabases {
  public:
    enum class Look {
        kNow,
        kWhenDue,  ///< If a check costs a round trip, at most once a second.
    };

    virtual ~FollowedDatabases() = default;

    /// Whether newest() would return a newer state than last time.
    virtual bool have_moved(Look look) = 0;
    virtual OpenedDatabases newest() = 0;
    /// Whether newest() can replace a state that a writer overwrote.
    virtual bool can_reopen() const = 0;
    /// Whether the last state from newest() belongs to another database with the same path and
    /// UUID: a copy, whose revisions can't be compared with the former one's.
    virtual bool is_copy() const = 0;
    /// "" if all shards list the same topic models in the last state from newest(); else their
    /// lists, which differ briefly while a retrain is published shard by shard.
    virtual const std::string& mixture() const = 0;
};

/// A caller's handles, never reopened, since copies of a Database share their state: they move when
/// their owner reopens them.
std::unique_ptr<FollowedDatabases> follow_handles(const OpenedDatabases& handles);

/// Opens databases anew for each state, so that a state in use never changes. Also follows a
/// database that is replaced by another, or vanishes and comes back.
std::unique_ptr<FollowedDatabases> follow_paths(const SearchPaths& paths);

}  // namespace braid
