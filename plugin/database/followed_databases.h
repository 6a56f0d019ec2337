// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/plugin/store/newest_state.h"

namespace braid {

/// Where databases are that are searched as one.
struct SearchPaths {
    std::vector<std::string> databases;      ///< Specs as open_databases takes them.
    std::vector<std::string> sidecars = {};  ///< Specs of sidecars: one for each shard, or none.
};

/// The databases of a search, open on one state.
struct OpenedDatabases {
    Xapian::Database database;
    std::vector<Xapian::Database> sidecars = {};
};

/// Throws as open_databases does.
BRAID_API OpenedDatabases open_paths(const SearchPaths& paths);

/// Tells the state that a handle is on from the states before and after: of its documents, topic
/// models, installed model and settings. Changes of a WritableDatabase that aren't committed count
/// where they change any of these but the documents' content. Not for a remote database: each of
/// its values is a round trip.
BRAID_API std::string state_token(const OpenedDatabases& opened);

/// What `work(opened)` returns, run on one state of the databases from start to end: they are
/// opened afresh and `work` run again where a writer was faster (on_newest_state). `tries` is what
/// is tried: "attempts to read the settings".
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
        kWhenDue,  ///< Where a look is a round trip, once a second at most.
    };

    virtual ~FollowedDatabases() = default;

    /// Whether newest() would give another state than it gave last.
    virtual bool have_moved(Look look) = 0;
    virtual OpenedDatabases newest() = 0;
    /// Whether newest() can replace a state that a writer took away.
    virtual bool can_reopen() const = 0;
    /// Whether the state that newest() gave last is of another database than the one before, in its
    /// place and with its UUID: a copy, whose revisions tell nothing of the other's.
    virtual bool is_copy() const = 0;
    /// "" where all shards name the same topic models in the state that newest() gave last. For a
    /// moment they don't while a retrain is published shard by shard: then what they name.
    virtual const std::string& mixture() const = 0;
};

/// Handles of a caller, which are never reopened, since copies of a Database share their state:
/// they move when their owner reopens them.
std::unique_ptr<FollowedDatabases> follow_handles(const OpenedDatabases& handles);

/// Databases that are opened afresh for each state: one that has begun to be read stays as it is.
/// A database that is replaced by another, or that vanishes and comes back, is followed, too.
std::unique_ptr<FollowedDatabases> follow_paths(const SearchPaths& paths);

}  // namespace braid
