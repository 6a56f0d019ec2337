// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/cli/running_command.h"

#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace braid::test {
namespace {

void redirect(const std::filesystem::path& path, int target) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    if (file < 0 || dup2(file, target) < 0) _exit(127);
    close(file);
}

}  // namespace

RunningCommand::RunningCommand(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {BRAID_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    // A command that is killed before it begins has written nothing.
    for (const char* file : {"out", "err"}) write_file(folder_ / file, "");
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("can't make a pipe");
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("can't fork");
    if (child_ == 0) {
        if (dup2(ends[0], STDIN_FILENO) < 0) _exit(127);
        redirect(folder_ / "out", STDOUT_FILENO);
        redirect(folder_ / "err", STDERR_FILENO);
        execv(argv[0], argv.data());
        _exit(127);
    }
    close(ends[0]);
    input_ = ends[1];
    std::signal(SIGPIPE, SIG_IGN);  // a command that no longer reads is no reason to die
}

RunningCommand::~RunningCommand() {
    if (input_ >= 0) close(input_);
    if (child_ < 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
}

bool RunningCommand::feed(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(input_, text.data(), text.size());
        if (count < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

void RunningCommand::signal(int number) { kill(child_, number); }

CommandResult RunningCommand::wait() {
    close(input_);
    input_ = -1;
    int status = 0;
    if (waitpid(child_, &status, 0) != child_) throw std::runtime_error("can't wait");
    child_ = -1;
    CommandResult result;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = read_file(folder_ / "out");
    result.err = read_file(folder_ / "err");
    return result;
}

}  // namespace braid::test
