// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/core/export.h"

namespace braid {

/// A reader survives one commit; at a commit during each of so many tries, batching is missing on
/// the writer's side.
inline constexpr unsigned kMaxReopens = 10;

/// Throws Error. `tries` is what was tried: "searches".
[[noreturn]] BRAID_API void give_up_on_newest_state(const std::string& tries);

/// What `work(reopened)` gives, on one state of a database from start to end: where a writer was
/// faster, `reopen()` is called and the work done once more, and after kMaxReopens of these Error
/// is thrown.
template <typename Reopen, typename Work>
auto on_newest_state(const std::string& tries, Reopen&& reopen, Work&& work) {
    for (unsigned reopened = 0;; ++reopened) {
        try {
            if (reopened > 0) reopen();
            return work(reopened);
        } catch (const Xapian::DatabaseModifiedError&) {
            if (reopened == kMaxReopens) give_up_on_newest_state(tries);
        }
    }
}

}  // namespace braid
