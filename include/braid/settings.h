// SPDX-License-Identifier: GPL-2.0-or-later
// Settings in code; <braid/config.h> reads them from YAML:
//
//     braid::Settings settings;
//     settings.index.analysis.stemmer = "german2";
//     settings.index.fields.push_back({.name = "author", .prefix = "A", .weight = 2});
//     settings.limits.time = 500;  // Milliseconds of a search.
//     braid::validate(settings.index);
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/model.h"
#include "braid/topics.h"

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

struct IndexSettings {
    AnalysisSettings analysis = {};
    std::vector<FieldSettings> fields = default_fields();
    /// Fields whose text is stored in the document data, to show results; "*" stores all.
    std::vector<std::string> stored = {"*"};

    static constexpr std::size_t kMaxBatch = 100'000'000;
    /// Documents between two commits. A killed writer loses at most this many.
    std::size_t batch = 10000;

    bool operator==(const IndexSettings&) const = default;
};

struct SearchSettings {
    std::string default_operator = "or";  ///< or, and: what joins a query's words.
    bool wildcards = false;               ///< `foo*` in queries.
    bool spelling = false;                ///< Suggests a spelling if nothing was found.

    using Candidates = braid::Candidates;
    /// Which documents a query finds; empty: the model's choice (FusionModel::candidates).
    std::optional<Candidates> candidates = {};

    static constexpr std::size_t kMaxClustersVisited = 1'000'000;
    /// With kHybrid: clusters to visit, the most promising first; 0: all that can have a result,
    /// which makes the answer exact.
    std::size_t clusters_visited = 0;

    static constexpr std::size_t kMaxSnippetLength = 100'000;
    std::size_t snippet_length = 200;  ///< Characters; 0 for no snippets.

    bool operator==(const SearchSettings&) const = default;
};

/// Limits on one input, so that a hostile or broken one fails with a message instead of exhausting
/// time or memory. Defaults are far above real needs. Each reader and search documents the limits
/// it checks; docs/guide/limits.md lists them.
struct Limits {
    std::size_t line = std::size_t{16} << 20;     ///< Bytes in a line of a text file.
    std::size_t record = std::size_t{64} << 20;   ///< Bytes in a document to index.
    std::size_t words = 10'000;                   ///< Words in a query.
    std::size_t nesting = 1'000;                  ///< Depth of nested operators in a query.
    std::size_t expansion = 1'000;                ///< Terms that a wildcard expands to.
    std::size_t dimensions = 65'536;              ///< Components of a vector that is read.
    std::size_t topics = 10'000;                  ///< Dimensions of a topic model that is learned.
    std::size_t memory = std::size_t{512} << 20;  ///< Bytes of tables kept for searches.
    std::size_t time = 0;                         ///< Milliseconds of a search; 0: no limit.

    bool operator==(const Limits&) const = default;
};

/// What `braid train` learns from and how, where its options don't say otherwise.
struct TrainingSettings {
    // Paths of files; "": none. load_settings makes them absolute.
    std::string queries = {};
    std::string qrels = {};
    std::string clicks = {};

    std::string learner = {};                         ///< "": the command's default.
    std::map<std::string, std::string> options = {};  ///< The learner's parameters and choices.
    /// Values of these to try.
    std::map<std::string, std::vector<std::string>> tune = {};
    std::string measure = "map";

    static constexpr std::size_t kMaxFolds = 1'000'000;
    std::size_t folds = 0;  ///< Cross-validation; 0: none.

    bool operator==(const TrainingSettings&) const = default;
};

/// The contents of a YAML file. An empty file gives these defaults.
struct Settings {
    IndexSettings index;
    SearchSettings search;
    Limits limits;
    std::vector<TopicSettings> topics;  ///< Topic models to learn, with distinct names.
    FusionModel model;                  ///< Ranks if no model was trained or named.
    TrainingSettings training;          ///< Read by `braid train`.

    bool operator==(const Settings&) const = default;
};

/// Throws InvalidSetting for a value out of its range, and for settings that contradict each other
/// or would have no effect: two fields of one name or slot, `exact` without a prefix, a field that
/// is neither searched nor filtered nor sorted by. Doesn't check whether the stemmer and the stop
/// word file exist: their use does.
BRAID_API void validate(const IndexSettings& settings);

/// Throws InvalidSetting for a value out of its range.
BRAID_API void validate(const SearchSettings& settings);

/// Throws as `validate(const TopicSettings&)` does, naming the index in the list, and for two
/// models of one name.
BRAID_API void validate(const std::vector<TopicSettings>& settings);

/// The first difference that changes the index, with both values, `first`'s first: "stemmer:
/// english, german"; "" if they index alike. Stop words are compared word by word and must be
/// resolved (resolve_stop_words); `batch` is ignored.
BRAID_API std::string index_settings_difference(const IndexSettings& first,
                                                const IndexSettings& second);

}  // namespace braid
