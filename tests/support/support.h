// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/tests/support/catch.h"

namespace braid::test {

/// The seed of random tests: fixed, or what BRAID_TEST_SEED says. Appends the name of the test that
/// asks to the file that BRAID_TEST_SEED_USERS names.
std::uint64_t seed();

/// A file of the test collections, or nothing where they are absent; see BRAID_SKIP_WITHOUT.
std::optional<std::filesystem::path> shared_file(std::string_view path);

/// The project's own source tree.
std::filesystem::path source_dir();

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view text);

/// A new folder below the system's temporary one, removed with all in it at the end.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    /// The path of a new file with this text.
    std::string file(std::string_view name, std::string_view text) const;

  private:
    std::filesystem::path path_;
};

/// The message of the Wanted that `work` throws; "" if it throws none.
template <typename Wanted = Error>
std::string error_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Wanted& error) {
        return error.what();
    }
    return "";
}

/// A library's name for LD_PRELOAD, which ends names at spaces and colons: its own, or that of a
/// link to it, which lasts as long as this process.
std::string preload_name(const std::filesystem::path& library);

}  // namespace braid::test

/// Ends the test, counted as skipped, where the optional `file` holds nothing.
#define BRAID_SKIP_WITHOUT(file)                                 \
    do {                                                         \
        if (!(file)) {                                           \
            WARN("SKIPPED: the test collections are not there"); \
            return;                                              \
        }                                                        \
    } while (false)
