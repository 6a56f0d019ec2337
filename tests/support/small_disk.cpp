// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/support/small_disk.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <utility>

namespace braid::test {
namespace {

std::string size_option(std::size_t bytes) { return "size=" + std::to_string(bytes); }

}  // namespace

SmallDisk::SmallDisk(std::filesystem::path folder, std::size_t bytes)
    : folder_(std::move(folder)), bytes_(bytes) {
    mounted_ = mount("tmpfs", folder_.c_str(), "tmpfs", 0, size_option(bytes).c_str()) == 0;
}

SmallDisk::~SmallDisk() {
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
}

std::size_t SmallDisk::bytes_used() const {
    struct statvfs status = {};
    if (statvfs(folder_.c_str(), &status) != 0) throw std::runtime_error("can't ask for room");
    return (status.f_blocks - status.f_bfree) * status.f_frsize;
}

void SmallDisk::resize(std::size_t bytes) {
    bytes_ = bytes;
    remount();
}

void SmallDisk::set_read_only(bool read_only) {
    read_only_ = read_only;
    remount();
}

void SmallDisk::remount() const {
    const unsigned long flags = MS_REMOUNT | (read_only_ ? unsigned{MS_RDONLY} : 0U);
    if (mount("tmpfs", folder_.c_str(), "tmpfs", flags, size_option(bytes_).c_str()) == 0) return;
    throw std::runtime_error(std::string("can't remount: ") + std::strerror(errno));
}

}  // namespace braid::test
