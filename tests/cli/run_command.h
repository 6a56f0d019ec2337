// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace braid::test {

/// What a run of the command printed and returned.
struct CommandResult {
    int code = -1;  ///< The exit code; 128 + the signal where one ended it.
    std::string out;
    std::string err;
    long peak_kilobytes = 0;  ///< Of memory, at once.
};

/// Runs the `braid` of this build with `arguments`, `input` as its standard input. Nothing goes
/// through a shell.
CommandResult run_braid(const std::vector<std::string>& arguments, const std::string& input = "");

/// What a call printed that had to end with 0.
std::string printed(const CommandResult& result);

/// Checks that the call prints nothing but an error with `message`, and ends with `code`.
void check_refused(const std::vector<std::string>& arguments, int code, const std::string& message);

/// A call taken apart at its blanks; '' is an empty word.
std::vector<std::string> words_of(const std::string& call);

/// Words that a call should not have, and a part of the error that they are.
struct WrongCall {
    std::string words;
    std::string message;
};

/// Checks that each call prints nothing but its error, and ends with 2. `call` is given the words.
void check_wrong_calls(const std::function<CommandResult(const std::vector<std::string>&)>& call,
                       std::initializer_list<WrongCall> wrong);
/// The words follow those of `base`, of which the first is the command's name.
void check_wrong_calls(const std::string& base, std::initializer_list<WrongCall> wrong);

/// The score of every query and document.
using RunScores = std::map<std::pair<std::string, std::string>, double>;

/// Those in a run as `braid run` prints it.
RunScores run_scores(const std::string& run);

}  // namespace braid::test
