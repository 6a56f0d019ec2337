// SPDX-License-Identifier: GPL-2.0-or-later
// A search for the second page, of games only:
//
//     braid::SearchRequest request;
//     request.text = "\"text adventure\" -graphics";
//     request.filters = {"section:games"};
//     request.first = 10;
//     request.explain = true;
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/settings.h"

namespace braid {

/// Inputs of rankers besides the query's words.
struct QueryInputs {
    /// The query's vectors by the name of the documents' vectors ("vectors" by default), of the
    /// same dimensions and any length.
    std::map<std::string, std::vector<float>> vectors = {};
    /// Embeddings of the query by name, for query-dependent weights.
    std::map<std::string, std::vector<float>> embeddings = {};
    /// Time from which ages count, in seconds since 1970 UTC; 0: the machine's clock.
    double now = 0;

    bool operator==(const QueryInputs&) const = default;
};

/// The machine's clock, in seconds since 1970 UTC.
inline double clock_time() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since).count();
}

/// What of a query is written down for learners of weights that follow from it:
/// docs/algorithms/features.md.
struct QueryFeatureGroups {
    bool words = true;    ///< How many and how rare, and how many the topic models know.
    bool topics = false;  ///< Its vectors in the topic models of the rankers.
    bool lists = false;   ///< How the rankers' lists differ, which takes a first pass each time.
    /// By name, the dimensions of QueryInputs::embeddings, which all queries bring.
    std::map<std::string, std::size_t> embeddings = {};

    bool operator==(const QueryFeatureGroups&) const = default;
};

/// Order by a value slot first, by score within equal values.
struct SortBy {
    Xapian::valueno slot = 0;
    bool descending = false;
};

/// Keep the best `keep` results of those that have the same value; documents without it all stay.
struct Collapse {
    Xapian::valueno slot = 0;
    Xapian::doccount keep = 1;
};

/// How a result's text is cut to a snippet.
struct SnippetOptions {
    std::size_t length = 200;     ///< Bytes, about; 0 for no snippets.
    std::string highlight_begin;  ///< Around each word that matched.
    std::string highlight_end;
    bool html = false;  ///< Escape the text for HTML (the highlights are taken as they are).
};

/// One search: a plain value.
struct SearchRequest {
    /// In Xapian's query syntax: words, "phrases", +required -excluded, AND OR NOT, field:word.
    std::string text = {};
    /// Ranked instead of `text` where it is there.
    std::optional<Xapian::Query> query = {};

    /// What results must satisfy besides, in the same syntax ("section:games"), without a part in
    /// the score.
    std::vector<std::string> filters = {};
    std::optional<Xapian::Query> filter = {};

    /// How the search runs. Scores are the same either way.
    enum class Path {
        kFastest,
        kPlain,   ///< Never FusedSource: Xapian's own matching of every term. To compare with.
        kPruned,  ///< FusedSource, or InvalidArgument with the reason why it can't.
    };
    Path path = Path::kFastest;

    /// Inputs of rankers besides words: vectors for `vector`, the time for `value-decay`.
    QueryInputs inputs = {};

    /// Empty: as in SearchSettings. No effect on a model without topic rankers.
    std::optional<SearchSettings::Candidates> candidates = {};

    /// With candidates kHybrid: as SearchSettings::clusters_visited, which holds if this is
    /// empty.
    std::optional<std::size_t> clusters_visited = {};

    /// Where one pass can't serve the model: so many of the first pass's best are rescored
    /// (docs/algorithms/rescoring.md). All pages need the same.
    Xapian::doccount window = 1000;

    Xapian::doccount first = 0;  ///< Results to skip.
    Xapian::doccount count = 10;
    /// At least this many matches are counted rather than estimated; the database's size makes
    /// counts and facets exact, and turns pruning off. Scores don't depend on it.
    Xapian::doccount check_at_least = 0;

    std::optional<SortBy> sort = {};
    std::optional<Collapse> collapse = {};
    /// Documents of a lower score are no results at all: it applies to the whole score, before
    /// paging. Scores are comparable for one model and one query only.
    double min_score = 0;
    /// The same by the probability of relevance, 0 to 1, of a model with a calibration; 0: no
    /// limit. Where no document reaches it there are no results.
    double min_probability = 0;

    /// Fill in all that a SearchHit has. Otherwise only rank, docid, name, score and percent,
    /// which saves reading the documents' data: for runs of many results.
    bool documents = true;
    SnippetOptions snippet = {};
    bool explain = false;
    std::vector<Xapian::MatchSpy*> spies = {};  ///< Borrowed; see the matches as in Enquire.
};

}  // namespace braid
