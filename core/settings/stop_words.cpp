// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/stop_words.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "braid/core/base/error.h"
#include "braid/core/settings/limits.h"

namespace braid {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// '#' starts a comment, and so does '|', as in Snowball's lists; inside a word ("c#") neither does.
std::string_view without_comment(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '#' && line[i] != '|') continue;
        if (i == 0 || kBlanks.find(line[i - 1]) != std::string_view::npos) return line.substr(0, i);
    }
    return line;
}

std::string lower_ascii(std::string_view word) {
    std::string result(word);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

std::string read_list(const std::string& path) {
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    // A folder opens, and only its first read fails.
    const bool folder = std::filesystem::is_directory(path);
    if (!in || folder) {
        const std::string reason = folder ? "it is a folder" : std::strerror(errno);
        throw Error("stop words '" + path + "': can't read the file: " + reason +
                    "; expected none, english or a file with one word a line");
    }
    std::string text;
    std::size_t line = 0;  // Where one begins.
    std::string piece(std::size_t{1} << 16, '\0');
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        const auto size = static_cast<std::size_t>(in.gcount());
        const std::size_t end = std::string_view(piece).substr(0, size).rfind('\n');
        if (end != std::string_view::npos) line = text.size() + end + 1;
        text.append(piece, 0, size);
        if (text.size() - line <= Limits{}.line) continue;
        throw FormatError({path, 0}, "found a line longer than " + std::to_string(Limits{}.line) +
                                         " bytes, expected one stop word a line");
    }
    return text;
}

}  // namespace

std::vector<std::string> parse_stop_words(std::string_view text, const std::string& file) {
    std::vector<std::string> words;
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view word = trim(without_comment(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        if (word.find_first_of(kBlanks) != std::string_view::npos) {
            throw FormatError({file, line},
                              "found '" + std::string(word) + "', expected one stop word a line");
        }
        if (word.find('\0') != std::string_view::npos) {
            throw FormatError({file, line}, "found a zero byte in a list of stop words");
        }
        words.push_back(lower_ascii(word));
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

std::vector<std::string> load_stop_words(const std::string& name) {
    if (name.empty() || name == "none") return {};
    if (name == "english") return english_stop_words();
    return parse_stop_words(read_list(name), name);
}

void resolve_stop_words(AnalysisSettings& analysis) {
    if (analysis.stop_list.empty()) analysis.stop_list = load_stop_words(analysis.stop_words);
}

}  // namespace braid
