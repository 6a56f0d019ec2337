// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/cli/run_command.h"

#include <fcntl.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "braid/tests/support/support.h"

namespace braid::test {
namespace {

void redirect(const std::filesystem::path& path, int flags, int target) {
    const int file = open(path.c_str(), flags, 0600);
    if (file < 0 || dup2(file, target) < 0) _exit(127);
    close(file);
}

}  // namespace

// Output goes to files: pipes would need a reader each while the command runs.
CommandResult run_braid(const std::vector<std::string>& arguments, const std::string& input) {
    const TemporaryFolder folder;
    write_file(folder / "in", input);
    std::vector<std::string> words = {BRAID_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("can't fork");
    if (child == 0) {
        redirect(folder / "in", O_RDONLY, STDIN_FILENO);
        redirect(folder / "out", O_WRONLY | O_CREAT, STDOUT_FILENO);
        redirect(folder / "err", O_WRONLY | O_CREAT, STDERR_FILENO);
        execv(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    rusage usage = {};
    if (wait4(child, &status, 0, &usage) != child) throw std::runtime_error("can't wait");
    CommandResult result;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.peak_kilobytes = usage.ru_maxrss;
    result.out = read_file(folder / "out");
    result.err = read_file(folder / "err");
    return result;
}

}  // namespace braid::test
