// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>

namespace braid::test {

/// A file system in memory, mounted on an existing folder for as long as this lives; see
/// BRAID_SKIP_WITHOUT_MOUNT.
class SmallDisk {
  public:
    SmallDisk(std::filesystem::path folder, std::size_t bytes);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    /// False without the right to mount.
    bool mounted() const { return mounted_; }
    std::size_t bytes_used() const;
    /// Throws std::runtime_error, as where that is less than what is used.
    void resize(std::size_t bytes);
    void set_read_only(bool read_only);

  private:
    void remount() const;

    std::filesystem::path folder_;
    std::size_t bytes_;
    bool read_only_ = false;
    bool mounted_ = false;
};

}  // namespace braid::test

/// Ends the test, counted as skipped, where `disk` could not be mounted.
#define BRAID_SKIP_WITHOUT_MOUNT(disk)                 \
    do {                                               \
        if (!(disk).mounted()) {                       \
            WARN("SKIPPED: needs the right to mount"); \
            return;                                    \
        }                                              \
    } while (false)
