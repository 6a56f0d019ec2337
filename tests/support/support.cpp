// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/support/support.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

#include "braid/core/base/random.h"
#include "braid/error.h"

namespace braid::test {

namespace {

// scripts/seeds runs a program with all its tests once, to learn which depend on the seed.
void note_running_test(const char* file) {
    const Catch::IResultCapture* running = Catch::getCurrentContext().getResultCapture();
    if (running != nullptr) {
        std::ofstream(file, std::ios::app) << running->getCurrentTestName() << '\n';
    }
}

}  // namespace

std::uint64_t seed() {
    if (const char* file = std::getenv("BRAID_TEST_SEED_USERS")) note_running_test(file);
    const char* given = std::getenv("BRAID_TEST_SEED");
    return given == nullptr ? kDefaultSeed : std::strtoull(given, nullptr, 10);
}

std::optional<std::filesystem::path> shared_file(std::string_view path) {
    std::filesystem::path full = std::filesystem::path(BRAID_SHARED_DIR) / path;
    if (!std::filesystem::exists(full)) return std::nullopt;
    return full;
}

std::filesystem::path source_dir() { return BRAID_SOURCE_DIR; }

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("can't open " + path.string());
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error("can't write " + path.string());
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "braid-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("can't make " + name);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(std::string_view name, std::string_view text) const {
    write_file(path_ / name, text);
    return path_ / name;
}

std::string preload_name(const std::filesystem::path& library) {
    if (library.string().find_first_of(" :") == std::string::npos) return library;
    static const TemporaryFolder folder;
    std::filesystem::path link = folder / library.filename().string();
    if (!std::filesystem::is_symlink(link)) std::filesystem::create_symlink(library, link);
    return link;
}

}  // namespace braid::test
