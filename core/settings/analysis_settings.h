// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// How text becomes terms. Stored in the database, so that searching, training and later indexing
/// use the settings of the first indexing.
struct AnalysisSettings {
    /// A Snowball language of Xapian::Stem ("english", "german2"), or "none".
    std::string stemmer = "english";

    enum class Stemming {
        kSome,  ///< Words as written, with positions, and stems with prefix Z (Xapian's).
        kAll,   ///< Stems only, with positions: half the terms; no capitals, no `exact`.
        kNone,
    };
    Stemming stemming = Stemming::kSome;

    /// "none", "english" (Braid's own list) or the path of a file with one word a line.
    std::string stop_words = "english";
    /// The words that `stop_words` stands for, sorted. Stored in the database, which stays
    /// searchable without the file. Filled by resolve_stop_words.
    std::vector<std::string> stop_list = {};
    /// Queries always drop stop words. Documents keep them as written but not their Z stems, since
    /// phrases such as "to be or not to be" need them; if this is set, documents drop them too.
    bool stop_documents = false;

    bool positions = true;  ///< Needed by phrases and NEAR; about half the database.
    bool spelling = false;  ///< Stores words and their frequencies for spelling suggestions.

    static constexpr unsigned kMaxWordLength = 240;  ///< Xapian's longest term, less a prefix.
    unsigned max_word_length = 64;                   ///< Bytes; longer words are dropped.

    bool operator==(const AnalysisSettings&) const = default;
};

/// How one field of the documents is indexed. A field without an entry is kept in the document data
/// but not searched.
struct FieldSettings {
    std::string name = {};  ///< As in the reader: "title", "text", "author" ...
    /// Xapian term prefix; "": only free text finds it. By Xapian's conventions one capital letter,
    /// or X and more capitals ("S", "XSECTION").
    std::string prefix = {};
    static constexpr std::size_t kMaxPrefixLength = 32;
    bool free_text = true;  ///< Found by words without a prefix.
    /// Indexes each line of the value as one boolean term, for filters, instead of its words with
    /// the prefix; needs a prefix.
    bool exact = false;

    static constexpr unsigned kMaxWeight = 1000;
    unsigned weight = 1;  ///< Frequency of each of its words in free text.

    static constexpr int kNoSlot = -1;
    static constexpr int kMaxSlot = 65535;
    int slot = kNoSlot;    ///< Value slot of the whole value, for sorting. Slot 0 holds the name.
    bool numeric = false;  ///< The slot sorts as a number.

    bool operator==(const FieldSettings&) const = default;
};

/// Fields that readers make from the usual collections, with their default settings.
BRAID_API std::vector<FieldSettings> default_fields();

}  // namespace braid
