// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/unfinished_database.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unistd.h>

#include "braid/core/base/error.h"
#include "braid/plugin/store/open_database.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr char kLock[] = "flintlock";
constexpr char kNewVersion[] = "v.tmp";
constexpr std::array<std::string_view, 6> kTables = {"postlist.glass", "termlist.glass",
                                                     "docdata.glass",  "position.glass",
                                                     "spelling.glass", "synonym.glass"};

// What every version file begins with.
constexpr std::string_view kMagic = "\x0f\x0dXapian Glass";
// A version file without documents has about 100 bytes.
constexpr std::uintmax_t kMaxVersionBytes = 4096;

// A version file of glass, or what a write that was cut short left of its beginning.
bool begins_a_version_file(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > kMaxVersionBytes) return false;
    std::ifstream in(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    return bytes.size() == size && (bytes.starts_with(kMagic) || kMagic.starts_with(bytes));
}

bool is_leftover(const fs::directory_entry& entry) {
    std::error_code error;
    if (!entry.is_regular_file(error) || entry.is_symlink(error)) return false;
    const std::string name = entry.path().filename();
    if (name == kNewVersion) return begins_a_version_file(entry.path());
    const bool is_known =
        name == kLock || std::find(kTables.begin(), kTables.end(), name) != kTables.end();
    return is_known && entry.file_size(error) == 0;
}

// Xapian's own lock, held until the end of scope.
class FolderLock {
  public:
    explicit FolderLock(const std::string& folder) {
        const std::string path = fs::path(folder) / kLock;
        file_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
        struct flock whole = {};
        whole.l_type = F_WRLCK;
        whole.l_whence = SEEK_SET;
        if (file_ >= 0 && fcntl(file_, F_OFD_SETLK, &whole) == 0) return;
        const int reason = errno;
        if (file_ >= 0) close(file_);
        const std::string start = "database '" + folder + "': ";
        if (reason == EAGAIN || reason == EACCES) {
            throw DatabaseLocked(start + "it is locked: another program is creating it; try " +
                                 "again when that is done");
        }
        throw Error(start + "can't lock it for writing: " + std::strerror(reason));
    }
    ~FolderLock() { close(file_); }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int file_ = -1;
};

}  // namespace

bool is_unfinished_database(const std::string& folder) {
    std::error_code error;
    if (!fs::exists(fs::path(folder) / kLock, error)) return false;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (!is_leftover(entry)) return false;
    }
    return !error;
}

void clear_unfinished_database(const std::string& folder) {
    if (!is_unfinished_database(folder)) return;
    const FolderLock lock(folder);
    // Who created a database there meanwhile is done with it, or the lock would be taken.
    if (!is_unfinished_database(folder)) return;
    for (const std::string_view name : kTables) fs::remove(fs::path(folder) / name);
    fs::remove(fs::path(folder) / kNewVersion);
}

}  // namespace braid
