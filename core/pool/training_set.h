// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/judgements.h"
#include "braid/core/eval/measure.h"

namespace braid {

/// What a document of that grade counts as: not relevant where nobody judged it, or where it is
/// judged worse than that (spam).
constexpr Grade learning_grade(Grade grade) { return grade > 0 ? grade : 0; }

/// What learners learn from: for each query a pool of documents, each with the score of every
/// ranker and a grade. A pool may be a whole collection or the union of some ranked lists. A plain
/// value; `validate` says whether its parts fit together. Rows of a query are together.
struct TrainingSet {
    std::vector<std::string> rankers;  ///< Names of the columns, in the order of `scores`.
    std::vector<std::string> queries;
    std::vector<std::size_t> query_begin = {
        0};  ///< First row of each query, and rows() at the end.

    /// Row-major, rows() x rankers.size(). Doubles, as they are when documents are served: a set
    /// in single precision would order near ties otherwise than the search does.
    std::vector<double> scores;
    std::vector<Grade> grades;  ///< One per row; kUnjudged where nobody judged, which counts as
                                ///< not relevant.

    std::vector<std::string> documents = {};  ///< Empty, or one name per row; decide ties.
    /// Empty, or for each query the grades of judged documents that its pool lacks: no weights can
    /// find them, and measures count them as missed.
    std::vector<std::vector<Grade>> unpooled = {};
    /// Empty, or queries x rankers: the most a ranker can give a document of the query. Only the
    /// normaliser `bound` reads them.
    std::vector<double> bounds = {};
    /// Empty, or queries x names: what is known of a query before documents are scored. Only
    /// learners of query-dependent weights read them.
    std::vector<double> query_features = {};
    std::vector<std::string> query_feature_names = {};
    /// Empty, or rows x any width: where each document lies among the others, in a space whose
    /// near documents are alike (a topic model's); all zero where it has no place. Only functions
    /// that look for neighbours there read them.
    std::vector<float> places = {};
    /// Empty, or for each query what it is known by when it comes again; otherwise its name is.
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

/// Throws InvalidArgument where the parts don't fit together, a ranker or query is there twice, or
/// a score, bound, place or query feature is NaN or infinite (naming query, document and ranker).
BRAID_API void validate(const TrainingSet& set);

/// The same without looking at the numbers: scores may still be missing (NaN).
BRAID_API void validate_shape(const TrainingSet& set);

/// "ranker 'date' gives document 'd7' of query '3' the score 1.7e+18, expected at most 1e+12 in
/// size": the largest; "" where none is further than `most` from 0.
BRAID_API std::string why_too_large(const TrainingSet& set, double most);

/// The queries at those places, in that order: what one fold trains or tests on.
BRAID_API TrainingSet subset(const TrainingSet& set, std::span<const std::size_t> queries);

/// The rankers at those places, in that order.
BRAID_API TrainingSet with_rankers(const TrainingSet& set, std::span<const std::size_t> rankers);

/// The standard deviation of one ranker's scores in a query's pool, of any finite size; 0 for an
/// empty one.
BRAID_API double score_deviation(const TrainingSet& set, std::size_t query, std::size_t ranker);

/// How much there is to learn from. Queries can be counted under several heads.
struct TrainingCounts {
    std::size_t queries = 0;
    std::size_t documents = 0;           ///< Rows, over all queries.
    std::size_t judged_queries = 0;      ///< With at least one grade, in the pool or out of it.
    std::size_t without_relevant = 0;    ///< Of the judged: none at `relevant_from` or above.
    std::size_t relevant_unpooled = 0;   ///< Of the judged: all relevant ones outside the pool.
    std::size_t without_irrelevant = 0;  ///< Of the judged: the pool has relevant ones only.
    /// With a relevant document and another in the pool: only these can tell weights apart.
    std::size_t useful_queries = 0;

    bool operator==(const TrainingCounts&) const = default;
};

BRAID_API TrainingCounts count(const TrainingSet& set, Grade relevant_from = 1);

/// Whether the query has a document of `relevant_from` or above and another in its pool.
BRAID_API bool is_useful(const TrainingSet& set, std::size_t query, Grade relevant_from);

/// What is odd about a valid set and goes on all the same, a sentence each: queries that can't be
/// learned from, a single ranker, one that is constant in every query, two that are copies.
BRAID_API std::vector<std::string> oddities(const TrainingSet& set, Grade relevant_from = 1);

}  // namespace braid
