// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/file_identity.h"

#include <sys/stat.h>

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

}  // namespace braid
