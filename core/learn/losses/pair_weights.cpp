// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/pair_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "braid/core/base/place_sort.h"
#include "braid/error.h"

namespace braid {
namespace {

struct Place {
    double at;
    std::uint32_t row;
};

}  // namespace

ThresholdColumn::ThresholdColumn(const TrainingSet& set, std::size_t ranker, std::size_t count)
    : set_(&set), ranker_(ranker), count_(count), rows_(set.rows()) {
    if (set.rows() >= 1U << 31U) {
        throw InvalidArgument(
            fmt::format("{} documents over all queries, expected fewer than 2^31", set.rows()));
    }
    std::vector<Place> places(set.rows());
    std::vector<Place> room;
    for (std::uint32_t i = 0; i < places.size(); ++i) {
        places[i] = {-set.scores[i * set.width() + ranker], i};
    }
    sort_by_place(places, room);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool is_cut = count == 0 && i + 1 < places.size() && places[i].at != places[i + 1].at;
        rows_[i] = places[i].row << 1U | (is_cut ? 1U : 0U);
    }
    if (rows_.empty()) return;
    for (std::size_t t = 1; t <= count; ++t) {
        const std::size_t above = rows_above(even_threshold(t));
        if (above > 0 && above < rows_.size()) rows_[above - 1] |= 1U;
    }
}

double ThresholdColumn::even_threshold(std::size_t number) const {
    const double greatest = value(0);
    const double width = greatest - value(rows_.size() - 1);
    return greatest - width * static_cast<double>(number) / static_cast<double>(count_ + 1);
}

std::size_t ThresholdColumn::rows_above(double threshold) const {
    std::size_t begin = 0;
    std::size_t end = rows_.size();
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (value(middle) > threshold) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

double ThresholdColumn::threshold(std::size_t rows) const {
    // The highest of those that part the rows so.
    for (std::size_t t = 1; t <= count_; ++t) {
        const double at = even_threshold(t);
        if (value(rows - 1) > at && !(value(rows) > at)) return at;
    }
    const double above = value(rows - 1);
    const double below = value(rows);
    const double middle = below + (above - below) / 2;
    return middle < above ? middle : below;
}

// Equations are those of docs/algorithms/rankboost.md.

namespace {

constexpr std::size_t kQueriesPerSum = 16;

}  // namespace

PairWeights::PairWeights(const TrainingSet& set, bool queries_alike)
    : set_(set), as_better_(set.rows()), as_worse_(set.rows()), potentials_(set.rows()) {
    std::set<Grade> grades;
    for (const Grade grade : set.grades) grades.insert(learning_grade(grade));
    grades_.assign(grades.begin(), grades.end());
    for (const Grade grade : set.grades) {
        const auto at = std::lower_bound(grades_.begin(), grades_.end(), learning_grade(grade));
        levels_.push_back(static_cast<std::uint32_t>(at - grades_.begin()));
    }
    double total = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        std::vector<double> counts(grades_.size(), 0);
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            ++counts[levels_[i]];
        }
        double pairs = 0;
        double below = 0;
        for (const double count : counts) {
            pairs += count * below;
            below += count;
        }
        query_weights_.push_back(pairs == 0 ? 0 : queries_alike ? 1 / pairs : 1);
        total += pairs * query_weights_.back();
    }
    for (double& weight : query_weights_) weight /= std::max(total, 1e-300);
}

void PairWeights::weigh(std::size_t query, std::span<const double> scores) {
    const std::size_t begin = set_.query_begin[query];
    const std::size_t end = set_.query_begin[query + 1];
    double lowest = scores[begin];
    double highest = scores[begin];
    for (std::size_t i = begin; i < end; ++i) {
        lowest = std::min(lowest, scores[i]);
        highest = std::max(highest, scores[i]);
    }
    const double middle = 0.5 * (lowest + highest);
    const double root = std::sqrt(query_weights_[query]);
    for (std::size_t i = begin; i < end; ++i) {
        as_better_[i] = root * std::exp(middle - scores[i]);
        as_worse_[i] = root * std::exp(scores[i] - middle);
    }
}

// Leaves potentials unscaled; returns the weight of the query's pairs.
double PairWeights::find_potentials(std::size_t query) {
    const std::size_t begin = set_.query_begin[query];
    const std::size_t end = set_.query_begin[query + 1];
    std::vector<double> better(grades_.size() + 1, 0);  // From this level up.
    std::vector<double> worse(grades_.size() + 1, 0);   // Below this level.
    for (std::size_t i = begin; i < end; ++i) {
        better[levels_[i]] += as_better_[i];
        worse[levels_[i] + 1] += as_worse_[i];
    }
    for (std::size_t level = grades_.size(); level-- > 0;) better[level] += better[level + 1];
    for (std::size_t level = 1; level <= grades_.size(); ++level) worse[level] += worse[level - 1];
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {  // (2)
        const double above = as_better_[i] * worse[levels_[i]];
        potentials_[i] = above - as_worse_[i] * better[levels_[i] + 1];
        sum += above;
    }
    return sum;
}

template <typename Weigh>
void PairWeights::each_query(Executor& executor, const Weigh& weigh) {
    const std::size_t queries = set_.queries.size();
    const std::size_t chunks = (queries + kQueriesPerSum - 1) / kQueriesPerSum;
    std::vector<double> parts(chunks, 0);
    executor.run(chunks, [&](std::size_t c) {
        const std::size_t end = std::min(queries, (c + 1) * kQueriesPerSum);
        for (std::size_t q = c * kQueriesPerSum; q < end; ++q) {
            if (query_weights_[q] == 0) continue;  // Its numbers are 0 from the start.
            weigh(q);
            parts[c] += find_potentials(q);
        }
    });
    total_ = 0;
    for (const double part : parts) total_ += part;
    if (total_ == 0) return;
    const double scale = 1 / total_;
    for (double& potential : potentials_) potential *= scale;
}

void PairWeights::update(std::span<const double> scores, Executor& executor) {
    each_query(executor, [&](std::size_t q) { weigh(q, scores); });
}

void PairWeights::raise(std::span<const std::uint8_t> marked, double step, Executor& executor) {
    const std::array<double, 2> better = {1, std::exp(-step)};
    const std::array<double, 2> worse = {1, std::exp(step)};
    each_query(executor, [&](std::size_t q) {
        for (std::size_t i = set_.query_begin[q]; i < set_.query_begin[q + 1]; ++i) {
            as_better_[i] *= better[marked[i]];
            as_worse_[i] *= worse[marked[i]];
        }
    });
}

PairWeights::Split PairWeights::split(std::span<const std::uint8_t> marked) const {  // (4)
    Split result;
    std::vector<double> marked_worse(grades_.size() + 1);
    std::vector<double> other_worse(grades_.size() + 1);
    for (std::size_t q = 0; q < set_.queries.size(); ++q) {
        if (query_weights_[q] == 0) continue;
        std::fill(marked_worse.begin(), marked_worse.end(), 0);
        std::fill(other_worse.begin(), other_worse.end(), 0);
        for (std::size_t i = set_.query_begin[q]; i < set_.query_begin[q + 1]; ++i) {
            (marked[i] ? marked_worse : other_worse)[levels_[i] + 1] += as_worse_[i];
        }
        for (std::size_t level = 1; level <= grades_.size(); ++level) {
            marked_worse[level] += marked_worse[level - 1];
            other_worse[level] += other_worse[level - 1];
        }
        for (std::size_t i = set_.query_begin[q]; i < set_.query_begin[q + 1]; ++i) {
            if (marked[i]) {
                result.right += as_better_[i] * other_worse[levels_[i]];
            } else {
                result.wrong += as_better_[i] * marked_worse[levels_[i]];
            }
        }
    }
    if (total_ == 0) return result;
    return {result.right / total_, result.wrong / total_};
}

}  // namespace braid
