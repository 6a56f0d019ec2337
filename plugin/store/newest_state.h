// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/export.h"

namespace braid {

/// A reader survives one commit; at a commit during each of so many tries, batching is missing on
/// the writer's side.
inline constexpr unsigned kMaxReopens = 10;

/// Throws Error. `tries` is what was tried: "searches".
[[noreturn]] BRAID_API void give_up_on_newest_state(const std::string& tries);

/// Whether any of them has a newer state now, after opening all anew.
BRAID_API bool reopen_all(Xapian::Database& database, std::vector<Xapian::Database>& sidecars);

/// What `work(reopened)` gives, on one state of a database from start to end: where a writer was
/// faster, `reopen()`, which says whether there is a newer state, is called and the work done once
/// more, and after kMaxReopens of these Error is thrown. A writer that was two commits faster may
/// have written over what is being read, which Xapian then takes for damage (DatabaseError: "EOF
/// reading block"); what is damaged stays so, without a newer state.
template <typename Reopen, typename Work>
auto on_newest_state(const std::string& tries, Reopen&& reopen, Work&& work) {
    for (unsigned reopened = 0;; ++reopened) {
        bool is_newer = true;
        try {
            if (reopened > 0) is_newer = reopen();
            return work(reopened);
        } catch (const Xapian::DatabaseModifiedError&) {
            if (reopened == kMaxReopens) give_up_on_newest_state(tries);
        } catch (const Xapian::DatabaseError&) {
            if (reopened == kMaxReopens || !is_newer) throw;
        }
    }
}

}  // namespace braid
