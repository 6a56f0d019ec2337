// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/output/write_file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path) {
    throw Error(
        fmt::format("{}: can't be written: {}", path, std::generic_category().message(errno)));
}

// Removes the new file unless it was moved to its place.
class NewFile {
  public:
    NewFile(std::string path, int flags) : path_(std::move(path)) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
        if (descriptor_ < 0) fail(path_);
        is_new_ = (flags & O_CREAT) != 0;
    }
    ~NewFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (is_new_) ::unlink(path_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(descriptor_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail(path_);
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    void close() {
        if (is_new_ && ::fsync(descriptor_) != 0) fail(path_);
        const int descriptor = descriptor_;
        descriptor_ = -1;
        if (::close(descriptor) != 0) fail(path_);
    }
    void move_to(const std::string& path) {
        if (std::rename(path_.c_str(), path.c_str()) != 0) fail(path);
        is_new_ = false;
    }

  private:
    std::string path_;
    int descriptor_ = -1;
    bool is_new_ = false;
};

bool is_device(const std::string& path) {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
           !S_ISDIR(status.st_mode);
}

// Where a link leads, so that it stays a link.
std::string target_of(const std::string& path) {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(path, error);
    return error ? path : target.string();
}

}  // namespace

void check_writable(const std::string& path) {
    if (is_device(path)) return;
    const fs::path target = target_of(path);
    if (fs::is_directory(target)) {
        errno = EISDIR;
        fail(path);
    }
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(path);
}

void write_file(const std::string& path, std::string_view text) {
    if (is_device(path)) {
        NewFile device(path, 0);
        device.write(text);
        device.close();
        return;
    }
    const std::string target = target_of(path);
    NewFile file(fmt::format("{}.new-{}", target, ::getpid()), O_CREAT | O_EXCL);
    file.write(text);
    file.close();
    file.move_to(target);
}

}  // namespace braid::cli
