// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// How text becomes terms. Kept in the database, so that searching, training and indexing more
/// documents later all use what the first indexing used.
struct AnalysisSettings {
    /// A Snowball language of Xapian::Stem ("english", "german2"), or "none".
    std::string stemmer = "english";

    enum class Stemming {
        kSome,  ///< Words as written, with positions, and stemmed ones with prefix Z (Xapian's).
        kAll,   ///< Stems only, with positions: half the terms; capitals and `exact` are lost.
        kNone,
    };
    Stemming stemming = Stemming::kSome;

    /// "none", "english" (Braid's own list) or the path of a file with one word a line.
    std::string stop_words = "english";
    /// The words that `stop_words` stands for, sorted; kept in the database, which so stays
    /// searchable where that file is not. Filled by resolve_stop_words.
    std::vector<std::string> stop_list = {};
    /// Stop words are dropped from queries always. Documents keep them as written, since phrases
    /// such as "to be or not to be" need them, but not their Z stems; if this is set, not at all.
    bool stop_documents = false;

    bool positions = true;  ///< Phrases and NEAR need them; they are about half the database.
    bool spelling = false;  ///< Keeps words, with how often they occur, to suggest spellings from.

    static constexpr unsigned kMaxWordLength = 240;  ///< Xapian's longest term, less a prefix.
    unsigned max_word_length = 64;                   ///< Bytes; longer words are dropped.

    bool operator==(const AnalysisSettings&) const = default;
};

/// What is done with one field of the documents. Fields that no entry names are kept in the
/// document data but not searched.
struct FieldSettings {
    std::string name = {};  ///< As the reader calls it: "title", "text", "author" ...
    /// Xapian term prefix, or "": then only free text finds it. By Xapian's conventions one
    /// capital letter, or X and more of them ("S", "XSECTION").
    std::string prefix = {};
    static constexpr std::size_t kMaxPrefixLength = 32;
    bool free_text = true;  ///< Found by words without a prefix.
    /// Each line of the value as one boolean term, for filters, instead of its words with the
    /// prefix; needs a prefix.
    bool exact = false;

    static constexpr unsigned kMaxWeight = 1000;
    unsigned weight = 1;  ///< Free text counts each of its words this often.

    static constexpr int kNoSlot = -1;
    static constexpr int kMaxSlot = 65535;
    int slot = kNoSlot;    ///< Value slot of the whole value, for sorting. Slot 0 is the name's.
    bool numeric = false;  ///< The slot sorts as a number.

    bool operator==(const FieldSettings&) const = default;
};

/// The fields that the readers make from the usual collections, as they are searched by default.
BRAID_API std::vector<FieldSettings> default_fields();

}  // namespace braid
