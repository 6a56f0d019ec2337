// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/folder_walk.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <sys/stat.h>
#include <utility>

namespace braid {
namespace {

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

// Absolute and without links; "" if it can't be told.
std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                           &std::free);
    return real == nullptr ? "" : real.get();
}

bool is_link(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

}  // namespace

FolderWalk::FolderWalk(const std::string& folder, const ReaderContext& context)
    : folder_(folder), context_(context) {
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    real_folder_ = real_path(folder_);
    if (!enter("")) {
        throw FormatError({folder, 0}, std::string("can't read: ") + std::strerror(errno));
    }
}

bool FolderWalk::leads_inside(const std::string& link) const {
    const std::string target = real_path(link);
    const std::string inside = real_folder_.ends_with('/') ? real_folder_ : real_folder_ + '/';
    return target == real_folder_ || target.starts_with(inside);
}

// Puts the names in the folder `prefix` on the stack; false, with errno, if it can't be read.
bool FolderWalk::enter(const std::string& prefix) {
    const std::string path = prefix.empty() ? folder_ : full_path(prefix);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return false;
    const bool is_new =
        entered_.insert(std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino)).second;
    if (!is_new) {
        context_.warn({path, 0}, "folder skipped: it was read already, by another path");
        return true;
    }
    const Directory directory(opendir(path.c_str()), &closedir);
    if (directory == nullptr) return false;
    Level level{prefix, {}};
    while (const dirent* entry = readdir(directory.get())) {
        std::string name = entry->d_name;
        if (name.starts_with('.')) continue;
        const std::string entry_path = full_path(prefix + name);
        if (stat(entry_path.c_str(), &status) != 0) {
            context_.warn({entry_path, 0}, "file skipped: can't be read", std::strerror(errno));
        } else if (S_ISDIR(status.st_mode)) {
            if (is_link(entry_path) && leads_inside(entry_path)) continue;
            level.names.push_back(std::move(name) + '/');
        } else if (S_ISREG(status.st_mode)) {
            level.names.push_back(std::move(name));
        } else {
            context_.warn({entry_path, 0}, "file skipped: neither a file nor a folder");
        }
    }
    std::sort(level.names.begin(), level.names.end(), std::greater<>());
    levels_.push_back(std::move(level));
    return true;
}

bool FolderWalk::next(std::string& path) {
    while (!levels_.empty()) {
        Level& level = levels_.back();
        if (level.names.empty()) {
            levels_.pop_back();
            continue;
        }
        path = level.prefix + level.names.back();
        level.names.pop_back();
        if (!path.ends_with('/')) return true;
        if (!enter(path)) {
            context_.warn({full_path(path), 0}, "folder skipped: can't be read",
                          std::strerror(errno));
        }
    }
    return false;
}

}  // namespace braid
