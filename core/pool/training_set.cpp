// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/training_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_set>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/base/vector_sums.h"
#include "braid/error.h"

namespace braid {
namespace {

void expect_size(const char* what, std::size_t got, std::size_t expected) {
    if (got == expected) return;
    throw InvalidArgument(fmt::format("training set: {} {}, expected {}", got, what, expected));
}

void expect_size_or_none(const char* what, std::size_t got, std::size_t expected) {
    if (got != 0) expect_size(what, got, expected);
}

void check_names(const char* what, const std::vector<std::string>& names) {
    std::unordered_set<std::string> seen;
    for (const std::string& name : names) {
        if (!seen.insert(name).second) {
            throw InvalidArgument(
                fmt::format("training set: the {} {} is there twice", what, shown(name)));
        }
    }
}

void check_scores(const TrainingSet& set, std::size_t query) {
    const std::span<const double> scores = set.query_scores(query);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (std::isfinite(scores[i])) continue;
        throw InvalidArgument(fmt::format(
            "training set: ranker {} gives document {} of query {} the score {}, expected a "
            "finite number",
            shown(set.rankers[i % set.width()]), set.document_label(query, i / set.width()),
            shown(set.queries[query]), scores[i]));
    }
}

// `values` is queries x names.
void check_of_queries(const char* what, const TrainingSet& set, const std::vector<double>& values,
                      const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) continue;
        throw InvalidArgument(fmt::format(
            "training set: the {} {} of query {} is {}, expected a finite number", what,
            shown(names[i % names.size()]), shown(set.queries[i / names.size()]), values[i]));
    }
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t begin, std::size_t end) {
    if (from.empty()) return;
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end));
}

// Columns `rankers` of a matrix of `width` columns.
std::vector<double> columns(const std::vector<double>& from, std::size_t width,
                            std::span<const std::size_t> rankers) {
    std::vector<double> result;
    result.reserve(from.size() / width * rankers.size());
    for (std::size_t begin = 0; begin < from.size(); begin += width) {
        for (const std::size_t ranker : rankers) result.push_back(from[begin + ranker]);
    }
    return result;
}

bool tells_apart(std::span<const Grade> grades, Grade relevant_from) {
    const auto is_relevant = [&](Grade grade) {
        return grade != kUnjudged && grade >= relevant_from;
    };
    const auto is_other = [&](Grade grade) { return grade != kUnjudged && grade < relevant_from; };
    return std::any_of(grades.begin(), grades.end(), is_relevant) &&
           std::any_of(grades.begin(), grades.end(), is_other);
}

// The rows of `all`, which has as many numbers for each.
template <typename Value>
std::vector<Value> of_rows(const std::vector<Value>& all, const std::vector<std::size_t>& rows,
                           std::size_t each) {
    std::vector<Value> result;
    if (all.empty()) return result;
    result.reserve(rows.size() * each);
    for (const std::size_t row : rows) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(row * each);
        result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(each));
    }
    return result;
}

}  // namespace

std::string TrainingSet::document_label(std::size_t query, std::size_t row) const {
    if (documents.empty()) return fmt::format("{} of the pool", row);
    return shown(documents[query_begin[query] + row]);
}

void validate_shape(const TrainingSet& set) {
    if (set.rankers.empty()) {
        throw InvalidArgument("training set: no ranker, expected at least one");
    }
    expect_size("beginnings of queries", set.query_begin.size(), set.queries.size() + 1);
    expect_size("as the first row of the first query", set.query_begin.front(), 0);
    if (!std::is_sorted(set.query_begin.begin(), set.query_begin.end())) {
        throw InvalidArgument("training set: the beginnings of queries are not ascending");
    }
    expect_size("rows of queries", set.query_begin.back(), set.rows());
    expect_size("scores", set.scores.size(), set.rows() * set.width());
    expect_size_or_none("names of documents", set.documents.size(), set.rows());
    expect_size_or_none("lists of unpooled grades", set.unpooled.size(), set.queries.size());
    expect_size_or_none("bounds", set.bounds.size(), set.queries.size() * set.width());
    expect_size_or_none("keys of queries", set.query_keys.size(), set.queries.size());
    if (!set.places.empty() && (set.rows() == 0 || set.places.size() % set.rows() != 0)) {
        throw InvalidArgument(
            fmt::format("training set: {} numbers of places, expected as many for each of {} rows",
                        set.places.size(), set.rows()));
    }
    expect_size("query features", set.query_features.size(),
                set.queries.size() * set.query_feature_names.size());
    check_names("ranker", set.rankers);
    check_names("query", set.queries);
    check_names("query feature", set.query_feature_names);
}

void validate(const TrainingSet& set) {
    validate_shape(set);
    for (std::size_t q = 0; q < set.queries.size(); ++q) check_scores(set, q);
    for (std::size_t i = 0; i < set.places.size(); ++i) {
        if (std::isfinite(set.places[i])) continue;
        throw InvalidArgument(
            fmt::format("training set: the place of row {} has {}, expected finite numbers",
                        i / set.place_width(), set.places[i]));
    }
    check_of_queries("bound of ranker", set, set.bounds, set.rankers);
    check_of_queries("feature", set, set.query_features, set.query_feature_names);
}

std::string why_too_large(const TrainingSet& set, double most) {
    std::size_t largest = set.scores.size();
    double size = most;
    for (std::size_t i = 0; i < set.scores.size(); ++i) {
        if (!(std::abs(set.scores[i]) > size)) continue;
        size = std::abs(set.scores[i]);
        largest = i;
    }
    if (largest == set.scores.size()) return "";
    const std::size_t row = largest / set.width();
    const auto after = std::upper_bound(set.query_begin.begin(), set.query_begin.end(), row);
    const auto query = static_cast<std::size_t>(after - set.query_begin.begin()) - 1;
    return fmt::format(
        "ranker {} gives document {} of query {} the score {:g}, expected at most {:g} in size",
        shown(set.rankers[largest % set.width()]),
        set.document_label(query, row - set.query_begin[query]), shown(set.queries[query]),
        set.scores[largest], most);
}

TrainingSet subset(const TrainingSet& set, std::span<const std::size_t> queries) {
    TrainingSet result;
    result.rankers = set.rankers;
    result.query_feature_names = set.query_feature_names;
    std::size_t rows = 0;
    for (const std::size_t q : queries) rows += set.pool_size(q);
    result.scores.reserve(rows * set.width());
    result.grades.reserve(rows);
    const std::size_t width = set.width();
    const std::size_t features = set.query_feature_names.size();
    for (const std::size_t q : queries) {
        const std::size_t begin = set.query_begin[q];
        const std::size_t end = set.query_begin[q + 1];
        result.queries.push_back(set.queries[q]);
        append(result.scores, set.scores, begin * width, end * width);
        append(result.grades, set.grades, begin, end);
        append(result.documents, set.documents, begin, end);
        append(result.places, set.places, begin * set.place_width(), end * set.place_width());
        append(result.unpooled, set.unpooled, q, q + 1);
        append(result.query_keys, set.query_keys, q, q + 1);
        append(result.bounds, set.bounds, q * width, (q + 1) * width);
        append(result.query_features, set.query_features, q * features, (q + 1) * features);
        result.query_begin.push_back(result.grades.size());
    }
    return result;
}

TrainingSet with_rankers(const TrainingSet& set, std::span<const std::size_t> rankers) {
    TrainingSet result = set;
    result.scores = columns(set.scores, set.width(), rankers);
    result.bounds = columns(set.bounds, set.width(), rankers);
    result.rankers.clear();
    for (const std::size_t ranker : rankers) result.rankers.push_back(set.rankers[ranker]);
    return result;
}

bool is_useful(const TrainingSet& set, std::size_t query, Grade relevant_from) {
    const std::span<const Grade> grades = set.query_grades(query);
    const auto relevant = std::count_if(grades.begin(), grades.end(),
                                        [&](Grade grade) { return grade >= relevant_from; });
    return relevant > 0 && static_cast<std::size_t>(relevant) < grades.size();
}

TrainingCounts training_counts(const TrainingSet& set, Grade relevant_from) {
    TrainingCounts counts;
    counts.queries = set.queries.size();
    counts.documents = set.rows();
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        std::size_t judged = 0;
        std::size_t relevant = 0;
        for (const Grade grade : set.query_grades(q)) {
            if (grade != kUnjudged) ++judged;
            if (grade >= relevant_from) ++relevant;
        }
        std::size_t outside = 0;
        if (!set.unpooled.empty()) {
            judged += set.unpooled[q].size();
            for (const Grade grade : set.unpooled[q]) outside += grade >= relevant_from ? 1 : 0;
        }
        if (judged == 0) continue;
        ++counts.judged_queries;
        if (relevant + outside == 0) ++counts.without_relevant;
        if (relevant == 0 && outside > 0) ++counts.relevant_unpooled;
        if (relevant > 0 && relevant == set.pool_size(q)) ++counts.without_irrelevant;
        if (relevant > 0 && relevant < set.pool_size(q)) ++counts.useful_queries;
    }
    return counts;
}

double score_deviation(const TrainingSet& set, std::size_t query, std::size_t ranker) {
    return spread_of(set.query_scores(query), ranker, set.width()).deviation;
}

namespace {

// One number a column, such that equal columns have equal numbers.
std::vector<std::uint64_t> column_hashes(const TrainingSet& set) {
    std::vector<std::uint64_t> hashes(set.width(), 0);
    for (std::size_t i = 0; i < set.scores.size(); ++i) {
        std::uint64_t& hash = hashes[i % set.width()];
        hash = (hash ^ std::bit_cast<std::uint64_t>(set.scores[i] + 0.0)) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
    }
    return hashes;
}

bool equal_columns(const TrainingSet& set, std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < set.rows(); ++i) {
        if (set.row(i)[a] != set.row(i)[b]) return false;
    }
    return true;
}

bool is_constant(const TrainingSet& set, std::size_t ranker) {
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::span<const double> scores = set.query_scores(q);
        for (std::size_t i = ranker; i < scores.size(); i += set.width()) {
            if (scores[i] != scores[ranker]) return false;
        }
    }
    return true;
}

void add_copies(const TrainingSet& set, std::vector<std::string>& result) {
    const std::vector<std::uint64_t> hashes = column_hashes(set);
    std::map<std::uint64_t, std::size_t> first;
    for (std::size_t k = 0; k < set.width(); ++k) {
        const auto [found, is_new] = first.emplace(hashes[k], k);
        if (is_new || !equal_columns(set, found->second, k)) continue;
        result.push_back(fmt::format(
            "rankers {} and {} give every document the same score: only their sum is determined",
            shown(set.rankers[found->second]), shown(set.rankers[k])));
    }
}

void add_queries(std::size_t count, std::size_t of, const char* what,
                 std::vector<std::string>& result) {
    if (count > 0) result.push_back(fmt::format("{} of {} queries {}", count, of, what));
}

}  // namespace

std::vector<std::string> oddities(const TrainingSet& set, Grade relevant_from) {
    std::vector<std::string> result;
    const TrainingCounts counts = training_counts(set, relevant_from);
    // Without any, they aren't meant to be: who needs judgements refuses the set.
    if (counts.judged_queries > 0) {
        add_queries(counts.queries - counts.judged_queries, counts.queries, "have no judgements",
                    result);
    }
    add_queries(counts.without_relevant, counts.queries, "have no relevant document", result);
    add_queries(counts.relevant_unpooled, counts.queries,
                "have all relevant documents outside the pool", result);
    add_queries(counts.without_irrelevant, counts.queries, "have only relevant documents", result);
    if (set.width() == 1) {
        result.push_back(fmt::format("there is one ranker only, {}: its weight changes nothing",
                                     shown(set.rankers[0])));
    }
    for (std::size_t k = 0; k < set.width(); ++k) {
        if (set.rows() == 0 || !is_constant(set, k)) continue;
        result.push_back(fmt::format(
            "ranker {} gives all documents of a query the same score: its weight changes nothing",
            shown(set.rankers[k])));
    }
    add_copies(set, result);
    return result;
}

TrainingSet shown_part(TrainingSet set, Grade relevant_from) {
    std::vector<std::size_t> rows;
    std::vector<std::size_t> begins = {0};
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const bool keeps_all = !tells_apart(set.query_grades(q), relevant_from);
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            if (keeps_all || set.grades[i] != kUnjudged) rows.push_back(i);
        }
        begins.push_back(rows.size());
    }
    set.places = of_rows(set.places, rows, set.place_width());
    set.scores = of_rows(set.scores, rows, set.width());
    set.documents = of_rows(set.documents, rows, 1);
    set.grades = of_rows(set.grades, rows, 1);
    set.query_begin = std::move(begins);
    return set;
}

}  // namespace braid
