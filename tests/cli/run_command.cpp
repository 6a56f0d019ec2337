// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/cli/run_command.h"

#include <fcntl.h>
#include <sstream>
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

std::string printed(const CommandResult& result) {
    INFO(result.err);
    REQUIRE(result.code == 0);
    return result.out;
}

void check_refused(const std::vector<std::string>& arguments, int code,
                   const std::string& message) {
    const CommandResult result = run_braid(arguments);
    INFO(result.out << result.err);
    CHECK(result.code == code);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains(message));
}

std::vector<std::string> words_of(const std::string& call) {
    std::istringstream in(call);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word == "''" ? "" : word);
    return words;
}

void check_wrong_calls(const std::function<CommandResult(const std::vector<std::string>&)>& call,
                       std::initializer_list<WrongCall> wrong) {
    for (const WrongCall& each : wrong) {
        INFO("with " << each.words);
        const CommandResult result = call(words_of(each.words));
        INFO(result.out << result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK_THAT(result.err, Contains(each.message));
    }
}

void check_wrong_calls(const std::string& base, std::initializer_list<WrongCall> wrong) {
    const auto call = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = words_of(base);
        words.insert(words.end(), more.begin(), more.end());
        return run_braid(words);
    };
    check_wrong_calls(call, wrong);
}

RunScores run_scores(const std::string& run) {
    RunScores scores;
    std::istringstream lines(run);
    std::string query, q0, document, rank, name;
    double score = 0;
    while (lines >> query >> q0 >> document >> rank >> score >> name) {
        scores[{query, document}] = score;
    }
    return scores;
}

}  // namespace braid::test
