// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/trust/process.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "braid/tests/support/support.h"

namespace braid::test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> result;
    for (std::string& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
    for (const auto& [name, value] : more) all.push_back(name + "=" + value);
    return all;
}

pid_t start(const Launch& launch, const TemporaryFolder& folder) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const std::string out = folder / "out";
    const std::string err = folder / "err";
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
    std::vector<std::string> words = launch.arguments;
    std::vector<std::string> settings = environment_with(launch.environment);
    pid_t child = -1;
    const int failed = posix_spawn(&child, words[0].c_str(), &files, nullptr,
                                   pointers(words).data(), pointers(settings).data());
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) throw std::runtime_error("can't start " + words[0]);
    return child;
}

// False after `patience`.
bool ends_within(pid_t child, std::chrono::duration<double> patience) {
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    if (handle < 0) throw std::runtime_error("can't watch a process");
    const auto whole = std::chrono::duration_cast<std::chrono::nanoseconds>(patience).count();
    const timespec limit = {whole / 1'000'000'000, whole % 1'000'000'000};
    pollfd watched = {handle, POLLIN, 0};
    int ready = -1;
    do ready = ppoll(&watched, 1, &limit, nullptr);
    while (ready < 0 && errno == EINTR);
    close(handle);
    return ready > 0;
}

}  // namespace

Outcome run(const Launch& launch) {
    const TemporaryFolder folder;
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = start(launch, folder);
    Outcome outcome;
    outcome.timed_out = !ends_within(child, launch.kill_after);
    if (outcome.timed_out) kill(child, SIGKILL);
    int status = 0;
    if (waitpid(child, &status, 0) != child) throw std::runtime_error("can't wait");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    outcome.seconds = taken.count();
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read_file(folder / "out");
    outcome.err = read_file(folder / "err");
    return outcome;
}

}  // namespace braid::test
