// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/common/processes.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <xapian.h>

#include "braid/bench/common/timing.h"
#include "braid/error.h"

namespace braid::bench {
namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

[[noreturn]] void run_and_leave(const std::function<void()>& work) {
    try {
        work();
        std::fflush(stdout);
        _exit(0);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
    } catch (const Xapian::Error& error) {
        fmt::print(stderr, "{}\n", error.get_description());
    }
    _exit(1);
}

}  // namespace

ProcessCost run_in_child(const std::function<void()>& work) {
    std::fflush(stdout);  // Or the child would print again what is still in the buffer.
    const double start = wall_seconds();
    const pid_t child = fork();
    if (child == 0) run_and_leave(work);
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        throw Error("a child process failed");
    }
    return {wall_seconds() - start, seconds(usage.ru_utime) + seconds(usage.ru_stime),
            static_cast<double>(usage.ru_maxrss) / 1024};
}

void become_silent(const std::vector<std::string>& words) {
    std::vector<std::string> copies = words;
    std::vector<char*> argv;
    argv.reserve(copies.size() + 1);
    for (std::string& word : copies) argv.push_back(word.data());
    argv.push_back(nullptr);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execv(argv[0], argv.data());
    throw Error(words[0] + ": " + std::strerror(errno));
}

TemporaryFolder::TemporaryFolder()
    : path_((std::filesystem::temp_directory_path() / "braid-bench-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw Error(path_ + ": can't be made");
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;  // A folder that stays is no reason to lose what was measured.
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace braid::bench
