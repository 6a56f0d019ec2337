// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/stop_words.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "braid/core/base/text.h"
#include "braid/core/settings/limits.h"
#include "braid/error.h"

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
        words.push_back(lower_cased(word));
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

namespace {

// Words that also name things ("mine", "like", "near", "inside") are left out: losing them from
// queries costs more than their postings do.
constexpr const char* kEnglish[] = {
    "a",          "about",     "above",     "across",    "after",     "again",        "against",
    "ain't",      "all",       "almost",    "along",     "already",   "also",         "although",
    "always",     "am",        "amid",      "among",     "amongst",   "an",           "and",
    "another",    "any",       "anybody",   "anyhow",    "anyone",    "anything",     "anyway",
    "anywhere",   "are",       "aren't",    "around",    "as",        "at",           "be",
    "because",    "been",      "before",    "behind",    "being",     "below",        "beside",
    "besides",    "between",   "beyond",    "both",      "but",       "by",           "can",
    "can't",      "cannot",    "could",     "couldn't",  "despite",   "did",          "didn't",
    "do",         "does",      "doesn't",   "doing",     "don't",     "done",         "down",
    "during",     "each",      "eg",        "either",    "else",      "elsewhere",    "etc",
    "even",       "ever",      "every",     "everybody", "everyone",  "everything",   "everywhere",
    "except",     "few",       "fewer",     "for",       "from",      "further",      "furthermore",
    "get",        "gets",      "getting",   "got",       "had",       "hadn't",       "has",
    "hasn't",     "have",      "haven't",   "having",    "he",        "he'd",         "he'll",
    "he's",       "hence",     "her",       "here",      "here's",    "hereafter",    "hereby",
    "herein",     "hers",      "herself",   "him",       "himself",   "his",          "how",
    "how's",      "however",   "i",         "i'd",       "i'll",      "i'm",          "i've",
    "ie",         "if",        "in",        "indeed",    "instead",   "into",         "is",
    "isn't",      "it",        "it'd",      "it'll",     "it's",      "its",          "itself",
    "just",       "least",     "less",      "lest",      "let",       "let's",        "lets",
    "many",       "may",       "maybe",     "mayn't",    "me",        "meanwhile",    "might",
    "mightn't",   "more",      "moreover",  "most",      "much",      "must",         "mustn't",
    "my",         "myself",    "needn't",   "neither",   "never",     "nevertheless", "no",
    "nobody",     "none",      "nor",       "not",       "nothing",   "now",          "nowhere",
    "of",         "off",       "often",     "on",        "once",      "one",          "one's",
    "oneself",    "only",      "onto",      "or",        "other",     "others",       "otherwise",
    "ought",      "oughtn't",  "our",       "ours",      "ourselves", "out",          "over",
    "own",        "per",       "perhaps",   "quite",     "rather",    "same",         "several",
    "shall",      "shan't",    "she",       "she'd",     "she'll",    "she's",        "should",
    "shouldn't",  "since",     "so",        "some",      "somebody",  "somehow",      "someone",
    "something",  "sometimes", "somewhere", "still",     "such",      "than",         "that",
    "that'd",     "that'll",   "that's",    "the",       "their",     "theirs",       "them",
    "themselves", "then",      "there",     "there'd",   "there'll",  "there's",      "thereafter",
    "thereby",    "therefore", "therein",   "thereof",   "these",     "they",         "they'd",
    "they'll",    "they're",   "they've",   "this",      "those",     "though",       "through",
    "throughout", "thus",      "till",      "to",        "too",       "toward",       "towards",
    "under",      "unless",    "until",     "up",        "upon",      "us",           "very",
    "via",        "was",       "wasn't",    "we",        "we'd",      "we'll",        "we're",
    "we've",      "were",      "weren't",   "what",      "what'll",   "what're",      "what's",
    "whatever",   "when",      "when's",    "whenever",  "where",     "where's",      "whereas",
    "whereby",    "wherein",   "whereupon", "wherever",  "whether",   "which",        "whichever",
    "while",      "who",       "who'd",     "who'll",    "who's",     "who've",       "whoever",
    "whom",       "whomever",  "whose",     "why",       "why's",     "will",         "with",
    "within",     "without",   "won't",     "would",     "wouldn't",  "yet",          "you",
    "you'd",      "you'll",    "you're",    "you've",    "your",      "yours",        "yourself",
    "yourselves",
};

}  // namespace

std::vector<std::string> english_stop_words() { return {std::begin(kEnglish), std::end(kEnglish)}; }

}  // namespace braid
