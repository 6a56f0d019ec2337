// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/training_measure.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "braid/core/pool/list_statistics.h"

namespace braid {
namespace {

JudgedPool pool_of(const TrainingSet& set, std::size_t query) {
    std::vector<Grade> grades;
    for (const Grade grade : set.query_grades(query)) {
        if (grade != kUnjudged) grades.push_back(grade);
    }
    if (!set.unpooled.empty()) {
        grades.insert(grades.end(), set.unpooled[query].begin(), set.unpooled[query].end());
    }
    return JudgedPool::of(std::move(grades));
}

double mean_of(const std::vector<double>& values) {
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

TrainingMeasure::TrainingMeasure(const TrainingSet& set, const std::string& measure,
                                 const MeasureOptions& options)
    : set_(set),
      measure_(make_measure(measure, options)),
      relevant_from_(options.relevant_from),
      tie_order_(set.rows()),
      is_plain_map_(measure_->name() == "map") {
    std::vector<std::uint32_t> order;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        pools_.push_back(pool_of(set, q));
        scales_.push_back(measure_->scale(pools_.back()));
        if (scales_.back() != 0) queries_.push_back(q);
        order.resize(set.pool_size(q));
        std::iota(order.begin(), order.end(), 0U);
        const std::size_t begin = set.query_begin[q];
        if (!set.documents.empty()) {
            std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return set.documents[begin + a] > set.documents[begin + b];
            });
        }
        for (std::size_t i = 0; i < order.size(); ++i) {
            tie_order_[begin + order[i]] = static_cast<std::uint32_t>(i);
        }
        track(q);
    }
}

void TrainingMeasure::track(std::size_t query) {
    const std::span<const Grade> grades = set_.query_grades(query);
    std::map<Grade, std::size_t> counts;
    for (const Grade grade : grades) ++counts[grade];
    Grade background = counts.empty() ? 0 : counts.begin()->first;
    for (const auto& [grade, count] : counts) {
        if (count > counts[background]) background = grade;
    }
    backgrounds_.push_back(background);
    for (std::uint32_t d = 0; d < grades.size(); ++d) {
        if (is_plain_map_ ? grades[d] >= relevant_from_ : grades[d] != background) {
            tracked_.push_back(d);
        }
    }
    tracked_begin_.push_back(tracked_.size());
}

std::span<const std::uint32_t> TrainingMeasure::tracked(std::size_t query) const {
    const std::size_t begin = tracked_begin_[query];
    return {tracked_.data() + begin, tracked_begin_[query + 1] - begin};
}

std::span<const std::uint32_t> TrainingMeasure::tie_order(std::size_t query) const {
    return {tie_order_.data() + set_.query_begin[query], set_.pool_size(query)};
}

double TrainingMeasure::of_scores(std::size_t query, std::span<const double> scores) const {
    if (!counts(query)) return 0;
    const bool is_short = measure_->depth() < scores.size() / 8 && tracked(query).size() > 32;
    return is_short ? by_sorting(query, scores) : by_places(query, scores);
}

double TrainingMeasure::by_places(std::size_t query, std::span<const double> scores) const {
    const std::span<const std::uint32_t> documents = tracked(query);
    std::vector<std::uint32_t> places(documents.size());
    places_of(documents, scores, tie_order(query), places);
    if (is_plain_map_) {
        // The sum AveragePrecision computes, term by term.
        std::sort(places.begin(), places.end());
        double sum = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            sum += static_cast<double>(i + 1) / (static_cast<double>(places[i]) + 1);
        }
        return sum / scales_[query];
    }
    const std::span<const Grade> grades = set_.query_grades(query);
    std::vector<Grade> ranked(scores.size(), backgrounds_[query]);
    for (std::size_t i = 0; i < places.size(); ++i) ranked[places[i]] = grades[documents[i]];
    return measure_->evaluate({ranked, pools_[query]}, scales_[query]);
}

std::vector<Grade> TrainingMeasure::ranked_grades(std::size_t query, std::span<const double> scores,
                                                  std::size_t depth) const {
    const std::span<const std::uint32_t> ties = tie_order(query);
    std::vector<std::uint32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : ties[a] < ties[b];
    };
    const std::size_t sorted = std::min(depth, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(sorted),
                      order.end(), is_before);
    const std::span<const Grade> grades = set_.query_grades(query);
    std::vector<Grade> ranked(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) ranked[i] = grades[order[i]];
    return ranked;
}

double TrainingMeasure::by_sorting(std::size_t query, std::span<const double> scores) const {
    const std::vector<Grade> ranked = ranked_grades(query, scores, measure_->depth());
    return measure_->evaluate({ranked, pools_[query]}, scales_[query]);
}

double TrainingMeasure::of_query(std::size_t query, const RankingFunction& function) const {
    return of_query(query, PreparedFunction(function));
}

double TrainingMeasure::of_query(std::size_t query, const PreparedFunction& function) const {
    std::vector<double> scores(set_.pool_size(query));
    function.score(set_, query, scores);
    return of_scores(query, scores);
}

std::vector<double> TrainingMeasure::values(const RankingFunction& function,
                                            Executor& executor) const {
    const PreparedFunction prepared(function);
    std::vector<double> result(queries_.size());
    const std::size_t chunks = (queries_.size() + kQueriesPerChunk - 1) / kQueriesPerChunk;
    executor.run(chunks, [&](std::size_t chunk) {
        const std::size_t end = std::min(queries_.size(), (chunk + 1) * kQueriesPerChunk);
        for (std::size_t i = chunk * kQueriesPerChunk; i < end; ++i) {
            result[i] = of_query(queries_[i], prepared);
        }
    });
    return result;
}

double TrainingMeasure::mean(const RankingFunction& function, Executor& executor) const {
    return mean_of(values(function, executor));
}

double TrainingMeasure::mean(const RankingFunction& function) const {
    const PreparedFunction prepared(function);
    std::vector<double> result;
    for (const std::size_t q : queries_) result.push_back(of_query(q, prepared));
    return mean_of(result);
}

}  // namespace braid
