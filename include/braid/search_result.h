// SPDX-License-Identifier: GPL-2.0-or-later
// Where the best result's score comes from:
//
//     #include <iostream>
//     #include "braid/searcher.h"
//
//     braid::Searcher searcher("packages");
//     const braid::SearchResult result = searcher.search({.text = "chess", .explain = true});
//     if (!result.hits.empty()) {
//         for (const braid::RankerExplanation& part : result.hits[0].explanation->rankers) {
//             std::cout << part.label << ' ' << part.contribution << ": " << part.formula << '\n';
//         }
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

namespace braid {

/// What a FusedSource did.
struct FusedCounters {
    std::uint64_t postings = 0;            ///< That the query's terms have, term by term.
    std::uint64_t postings_in_memory = 0;  ///< Of those, in lists read from PostingTables.
    std::uint64_t postings_scored = 0;     ///< With all lexical rankers.
    std::uint64_t documents_scored = 0;    ///< Given to Xapian with their whole score.
    std::uint64_t documents_skipped = 0;   ///< Looked at, and given up before their whole score.
    std::uint64_t vectors_decoded = 0;     ///< Products of vectors, counted for each topic model.
    std::uint64_t vectors_in_memory = 0;   ///< Of those, read from VectorTables.
    std::uint64_t vectors_bounded = 0;     ///< Vectors of which a part was looked at, for a bound.
    std::uint64_t positions_read = 0;      ///< Documents whose words' positions were looked at.
    /// Of those, without a position of a word that they have: they count as if it stood alone.
    std::uint64_t without_positions = 0;
    /// Damaged vectors and records of documents, which count as missing: all of a shard where they
    /// are in memory, else those that were read, as often as they were.
    std::uint64_t damaged = 0;

    // Where topics find documents, too (TopicFinding), of all shards:
    std::uint64_t clusters = 0;          ///< Clusters of vectors that there are.
    std::uint64_t clusters_visited = 0;  ///< Of those, looked through.
    std::uint64_t clusters_left = 0;  ///< Not looked through, though they may have results: 0 where
                                      ///< the answer is exact.
    double left_bound = 0;  ///< No document of these that lacks the query's words scores more.
    std::uint64_t documents_similar = 0;  ///< Documents that clusters brought.
};

/// How a search ran, and its cost.
struct SearchRun {
    std::string path;            ///< In words.
    bool pruned = false;         ///< Whether FusedSource ran it, which prunes by the whole score.
    std::string why_not_pruned;  ///< A sentence; "" where it was.
    /// Where clusters were left out that may have results (SearchSettings::clusters_visited): the
    /// share of this page that the exact answer surely has at the same places. Else 1.
    double surely = 1;
    /// Of FusedSource, in local databases; all 0 elsewhere but `damaged`, which is everybody's.
    FusedCounters counters;
    std::size_t feedback_passes = 0;   ///< First passes for feedback rankers,
    double feedback_milliseconds = 0;  ///< and their time.
    /// Of the query's own weights, where they follow from it, and the documents of the first pass
    /// that features of result lists take.
    double weighting_milliseconds = 0;
    std::size_t weighting_documents = 0;
    std::size_t rescored = 0;           ///< Documents rescored after a first pass.
    double rescoring_milliseconds = 0;  ///< Time of rescoring.
};

/// One term's part of a ranker's value for one document.
struct TermValue {
    std::string term;
    double query_occurrences = 0;
    double occurrences = 0;  ///< Occurrences in the document.
    double value = 0;
};

/// One ranker's part of one result.
struct RankerExplanation {
    std::string label;    ///< Its label in the model.
    std::string ranker;   ///< A name from the registry, or of a Xapian weight.
    std::string formula;  ///< In words and symbols.
    double weight = 0;
    /// Where weights follow from the query: that of a query like the mean of those learned from.
    std::optional<double> mean_weight = {};
    /// Nothing where it can't be told for this query and database: `Explanation::note` says why.
    std::optional<double> value = {};
    /// What is weighed instead of the value, where the model normalises.
    std::optional<double> normalised = {};
    /// In the ranker's list, from 1, equal scores sharing the mean: what counts instead of the
    /// value, where a fusion method looks at the order only.
    std::optional<double> place = {};
    bool is_absent = false;    ///< A fusion method takes its list as one that lacks the document.
    bool is_together = false;  ///< It counts together with the others: `contribution` is nothing.
    double contribution = 0;   ///< weight * value, weight * normalised, or what the place gives.
    /// No document of the database can have a larger value for this query. There wherever `value`
    /// is.
    std::optional<double> bound = {};
    /// Together with `document_value` they add up to the value. Empty where a query has operators
    /// that don't add up words (OP_MAX, OP_ELITE_SET). Words that count as one are one term.
    std::vector<TermValue> terms = {};
    double document_value = 0;  ///< The part without a term.
    std::string note = {};      ///< A problem with the value, or why it is 0; or "".
};

struct Explanation {
    std::vector<RankerExplanation> rankers;
    std::string path;  ///< How the search was run.
    std::string note;  ///< What is unknown and why, or "".
};

struct SearchHit {
    Xapian::doccount rank = 0;  ///< From 1, over all pages.
    Xapian::docid docid = 0;
    std::string name;  ///< As in judgements and runs.
    double score = 0;
    /// That the document is relevant, by the model's calibration, if it has one. Empty also where
    /// the score is not the whole model's: beyond the window of a second pass, or after a timeout.
    std::optional<double> probability = {};
    /// Xapian's: of a score that the best result might have had, by the number of parts of the
    /// query that it matches. Differs between the ways of running a search, as scores do not.
    int percent = 0;
    std::string data;
    /// The fields in `data`, where it is JSON or lines of name=value.
    std::map<std::string, std::string> fields;
    std::string title;  ///< The field that names the document for people, or the data's first line.
    std::string snippet;             ///< "" where snippets are off or the document has no text.
    std::vector<std::string> terms;  ///< Of the query, as they are in the document.
    Xapian::doccount collapsed = 0;  ///< At least this many more have the same collapse value.
    std::optional<Explanation> explanation = {};
};

struct SearchResult {
    std::vector<SearchHit> hits;
    Xapian::doccount matches = 0;  ///< An estimate, unless the bounds below are equal.
    Xapian::doccount matches_at_least = 0;
    Xapian::doccount matches_at_most = 0;
    Xapian::Query query;    ///< What was run.
    std::string corrected;  ///< The text with a spelling that the database knows, or "".
    /// What the text or a filter says and the query doesn't, a sentence each: an unknown field, a
    /// range that there isn't, an unclosed quote, stop words alone.
    std::vector<std::string> doubts = {};
    /// False where the time limit stopped the search: `hits` are then the best of the documents
    /// that it had looked at, with their exact scores, or those of a first pass where `run.path`
    /// says so (docs/guide/limits.md).
    bool complete = true;
    SearchRun run;          ///< How, and what it took.
    unsigned reopened = 0;  ///< How often the database changed under the search.
};

}  // namespace braid
