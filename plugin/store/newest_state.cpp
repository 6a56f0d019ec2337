// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/newest_state.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid {

FileIdentity file_identity(const std::string& path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) return {};
    FileIdentity identity{status.st_dev, status.st_ino};
    if (!S_ISDIR(status.st_mode)) {
        identity.changed = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
    }
    return identity;
}

bool reopen_all(Xapian::Database& database, std::vector<Xapian::Database>& sidecars) {
    bool is_newer = database.reopen();
    for (Xapian::Database& sidecar : sidecars) is_newer = sidecar.reopen() || is_newer;
    return is_newer;
}

void give_up_on_newest_state(const std::string& tries) {
    throw Error(fmt::format(
        "the database changed during each of {} {}; writers should commit less often, in larger "
        "batches",
        kMaxReopens + 1, tries));
}

}  // namespace braid
