// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/stop_words.h"

namespace braid {
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
