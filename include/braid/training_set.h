// SPDX-License-Identifier: GPL-2.0-or-later
// A set of one query, two documents and two rankers:
//
//     braid::TrainingSet set;
//     set.rankers = {"bm25", "lsa"};
//     set.queries = {"1"};
//     set.query_begin = {0, 2};
//     set.scores = {4.5, 0.3,   // The first document's scores,
//                   2.5, 0.9};  // and the second's.
//     set.grades = {1, 0};
//     braid::validate(set);
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/judgements.h"

namespace braid {

/// The grade for learning: unjudged documents and negative grades (spam) count as not relevant.
constexpr Grade learning_grade(Grade grade) { return grade > 0 ? grade : 0; }

/// The input of learners: for each query a pool of documents, each with the score of every ranker
/// and a grade. A pool may be a whole collection or the union of several ranked lists. A plain
/// value; `validate` checks it. Rows of a query are adjacent.
struct TrainingSet {
    std::vector<std::string> rankers;  ///< Names of the columns, in the order of `scores`.
    std::vector<std::string> queries;
    std::vector<std::size_t> query_begin = {
        0};  ///< First row of each query, and rows() at the end.

    /// Row-major, rows() x rankers.size(). Doubles, as in serving: single precision would order
    /// near ties differently from the search.
    std::vector<double> scores;
    std::vector<Grade> grades;  ///< One per row; kUnjudged counts as not relevant.

    std::vector<std::string> documents = {};  ///< Empty, or one name per row, for ties.
    /// Empty, or for each query the grades of judged documents missing from its pool: no weights
    /// can find them, and measures count them as missed.
    std::vector<std::vector<Grade>> unpooled = {};
    /// Empty, or queries x rankers: the highest score a ranker can give a document of the query.
    /// Read only by the normaliser `bound`.
    std::vector<double> bounds = {};
    /// Empty, or queries x names: features of a query, known before documents are scored. Read only
    /// by learners of query-dependent weights.
    std::vector<double> query_features = {};
    std::vector<std::string> query_feature_names = {};
    /// Empty, or rows x any width: each document's vector in a space where similar documents are
    /// near (a topic model's); all zero for a document without one. Read only by functions that
    /// look for neighbours there.
    std::vector<float> places = {};
    /// Empty, or a key by which each query is recognised when it recurs; by default its name.
    std::vector<std::string> query_keys = {};

    const std::string& query_key(std::size_t query) const {
        return query_keys.empty() ? queries[query] : query_keys[query];
    }
    std::size_t rows() const { return grades.size(); }
    std::size_t width() const { return rankers.size(); }
    std::span<const double> row(std::size_t i) const {
        return {scores.data() + i * width(), width()};
    }
    std::size_t pool_size(std::size_t query) const {
        return query_begin[query + 1] - query_begin[query];
    }
    /// The scores of one query, row-major.
    std::span<const double> query_scores(std::size_t query) const {
        return {scores.data() + query_begin[query] * width(), pool_size(query) * width()};
    }
    std::size_t place_width() const { return places.empty() ? 0 : places.size() / rows(); }
    std::span<const float> query_places(std::size_t query) const {
        return {places.data() + query_begin[query] * place_width(),
                pool_size(query) * place_width()};
    }
    std::span<const Grade> query_grades(std::size_t query) const {
        return {grades.data() + query_begin[query], pool_size(query)};
    }

    /// The document of a row, for messages: its name, or "row 3 of the pool".
    BRAID_API std::string document_label(std::size_t query, std::size_t row) const;

    bool operator==(const TrainingSet&) const = default;
};

/// Throws InvalidArgument for sizes that don't match, a repeated ranker or query, or a score,
/// bound, place or query feature that is NaN or infinite (naming query, document and ranker).
BRAID_API void validate(const TrainingSet& set);

/// The same without checking the numbers: scores may still be missing (NaN).
BRAID_API void validate_shape(const TrainingSet& set);

/// "ranker 'date' gives document 'd7' of query '3' the score 1.7e+18, expected at most 1e+12 in
/// size": the largest; "" if no magnitude exceeds `most`.
BRAID_API std::string why_too_large(const TrainingSet& set, double most);

/// The queries of these indexes, in that order, for training or testing on a fold.
BRAID_API TrainingSet subset(const TrainingSet& set, std::span<const std::size_t> queries);

/// The rankers of these indexes, in that order.
BRAID_API TrainingSet with_rankers(const TrainingSet& set, std::span<const std::size_t> rankers);

/// The standard deviation of one ranker's scores in a query's pool, for scores of any finite size;
/// 0 for an empty pool.
BRAID_API double score_deviation(const TrainingSet& set, std::size_t query, std::size_t ranker);

/// How much a set offers to learn from. A query may be in several counts.
struct TrainingCounts {
    std::size_t queries = 0;
    std::size_t documents = 0;           ///< Rows, over all queries.
    std::size_t judged_queries = 0;      ///< With at least one grade, in the pool or out of it.
    std::size_t without_relevant = 0;    ///< Judged, but none at `relevant_from` or above.
    std::size_t relevant_unpooled = 0;   ///< Judged, but all relevant ones are outside the pool.
    std::size_t without_irrelevant = 0;  ///< Judged, but the pool has relevant ones only.
    /// With a relevant and another document in the pool: only these can distinguish weights.
    std::size_t useful_queries = 0;

    bool operator==(const TrainingCounts&) const = default;
};

BRAID_API TrainingCounts training_counts(const TrainingSet& set, Grade relevant_from = 1);

/// Whether the query's pool has a document of `relevant_from` or above and another one.
BRAID_API bool is_useful(const TrainingSet& set, std::size_t query, Grade relevant_from);

/// Warnings about a valid set, a sentence each: queries that can't be learned from, a single
/// ranker, one that is constant in every query, two that are copies.
BRAID_API std::vector<std::string> oddities(const TrainingSet& set, Grade relevant_from = 1);

/// The set without documents that have no grade: nobody who clicked ever saw them, so they may be
/// relevant; docs/algorithms/clicks.md. A query whose graded documents are all relevant, or none
/// of them is, keeps its pool, in which the others count as irrelevant.
BRAID_API TrainingSet shown_part(TrainingSet set, Grade relevant_from);

}  // namespace braid
