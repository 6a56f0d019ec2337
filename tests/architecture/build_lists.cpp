// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/architecture/build_lists.h"

#include <sstream>

namespace braid::architecture {
namespace {

// The words of a CMakeLists.txt, without comments; parentheses end words.
std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        line = line.substr(0, line.find('#'));
        for (char& c : line) {
            if (c == '(' || c == ')' || c == '"') c = ' ';
        }
        std::istringstream rest(line);
        for (std::string word; rest >> word;) words.push_back(word);
    }
    return words;
}

}  // namespace

BuildLists read_build_lists(const SourceTree& tree) {
    BuildLists lists;
    for (const SourceFile& file : tree.files) {
        if (!file.path.ends_with("CMakeLists.txt")) continue;
        const std::string folder = folder_of(file.path);
        bool in_headers = false;
        std::string before;
        for (const std::string& word : words_of(file.text)) {
            // This builds a file that is called like its first argument.
            if (before == "braid_example") {
                lists.named.insert(folder + "/" + word + ".cpp");
            }
            before = word;
            if (word == "HEADERS") in_headers = true;
            if (word == "PUBLIC" || word == "PRIVATE" || word == "SOURCES") in_headers = false;
            if (!word.ends_with(".cpp") && !word.ends_with(".h")) continue;
            // Public headers stand in one folder, whichever library offers them.
            const std::string path =
                in_headers
                    ? "include/braid/" + word
                    : (std::filesystem::path(folder) / word).lexically_normal().generic_string();
            lists.named.insert(path);
            if (in_headers) lists.headers.insert(path);
        }
    }
    return lists;
}

}  // namespace braid::architecture
