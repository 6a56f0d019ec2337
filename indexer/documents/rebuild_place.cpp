// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/documents/rebuild_place.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/store/open_database.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr char kMark[] = "braid-rebuild";

void mark(const fs::path& folder, const std::string& uuid) {
    std::ofstream out(folder / kMark, std::ios::binary);
    out << uuid;
    if (!out.flush()) {
        throw Error("can't write '" + (folder / kMark).string() + "': " + std::strerror(errno));
    }
}

// A mark that was cut short is the beginning of a UUID: only the folder's first file may be.
bool is_marked(const fs::path& folder, const std::string& uuid) {
    std::ifstream in(folder / kMark, std::ios::binary);
    if (!in) return false;
    const std::string found(std::istreambuf_iterator<char>(in), {});
    if (found == uuid) return true;
    return uuid.starts_with(found) && std::distance(fs::directory_iterator(folder), {}) == 1;
}

// The mark last: a removal that is cut short is recognised, too.
void remove_marked(const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename() != kMark) fs::remove_all(entry.path());
    }
    fs::remove_all(folder);
}

void rename(const std::string& from, const std::string& to) {
    if (std::rename(from.c_str(), to.c_str()) == 0) return;
    throw Error("can't rename '" + from + "' to '" + to + "': " + std::strerror(errno));
}

std::string uuid_of(const std::string& folder) { return open_databases({folder}).get_uuid(); }

bool is_database(const std::string& folder) { return look_at(folder) == DatabasePlace::kDatabase; }

}  // namespace

RebuildPlace::RebuildPlace(const std::string& database) {
    std::error_code error;
    // Through links, and without a slash at the end.
    database_ = fs::weakly_canonical(database, error).string();
    if (error) database_ = database;
    while (database_.ends_with('/')) database_.pop_back();
    folder_ = database_ + ".rebuild";
    aside_ = database_ + "-old";
}

void RebuildPlace::recover() const {
    std::error_code error;
    if (fs::exists(database_, error) || !fs::exists(fs::path(folder_) / kMark, error)) return;
    if (is_database(aside_) && is_marked(folder_, uuid_of(aside_))) rename(aside_, database_);
}

void RebuildPlace::prepare(const std::string& uuid) const {
    for (const std::string& left : {folder_, aside_}) {
        std::error_code error;
        if (!fs::exists(left) || fs::is_empty(left, error)) continue;
        if (is_marked(left, uuid)) {
            remove_marked(left);
        } else if (left == folder_) {
            throw Error("'" + left + "' is in the way: a database is rebuilt there first");
        }
    }
    fs::create_directory(folder_);
    mark(folder_, uuid);
}

void RebuildPlace::publish(const std::string& uuid) const {
    mark(database_, uuid);
    if (renameat2(AT_FDCWD, database_.c_str(), AT_FDCWD, folder_.c_str(), RENAME_EXCHANGE) != 0) {
        if (errno != EINVAL && errno != ENOSYS) {
            throw Error("can't exchange '" + database_ + "' and '" + folder_ +
                        "': " + std::strerror(errno));
        }
        rename(database_, aside_);
        rename(folder_, database_);
        rename(aside_, folder_);
    }
    std::error_code ignored;
    fs::remove(fs::path(database_) / kMark, ignored);
}

void RebuildPlace::clear() const noexcept {
    try {
        remove_marked(folder_);
    } catch (const fs::filesystem_error&) {  // The next rebuild tries again.
    }
}

}  // namespace braid
