// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/shown_documents.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace braid {
namespace {

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
