// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"

namespace braid {

/// Tells a file or folder from a replacement at the same path. All 0 if absent.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t changed = 0;  ///< Nanoseconds since 1970; 0 for a folder.

    bool operator==(const FileIdentity&) const = default;
};

/// Costs about a microsecond.
BRAID_API FileIdentity file_identity(const std::string& path);

/// A reader survives one commit. If a database changes during each of so many tries, its writers
/// should commit in larger batches.
inline constexpr unsigned kMaxReopens = 10;

/// Throws Error. `tries` names the attempts: "searches".
[[noreturn]] BRAID_API void give_up_on_newest_state(const std::string& tries);

/// Reopens all; returns whether any has a newer state.
BRAID_API bool reopen_all(Xapian::Database& database, std::vector<Xapian::Database>& sidecars);

/// Runs `work(reopened)` on one state of a database from start to end and returns its result. If a
/// writer was faster, calls `reopen()`, which says whether there is a newer state, and runs `work`
/// again; after kMaxReopens of these it throws Error.
///
/// A writer that is two commits ahead may have overwritten blocks that are being read. Xapian
/// reports that as DatabaseModifiedError or takes it for damage (DatabaseError: "EOF reading
/// block"), and a value read then may not parse. So such an error counts only if it comes again
/// where `reopen()` found nothing newer.
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
        } catch (const FormatError&) {
            if (reopened == kMaxReopens || !is_newer) throw;
        } catch (const ModelMismatch&) {
            if (reopened == kMaxReopens || !is_newer) throw;
        }
    }
}

}  // namespace braid
