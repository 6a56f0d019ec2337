// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_measure.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "braid/core/learn/losses/smooth_query.h"
#include "braid/error.h"

namespace braid {

std::vector<ParameterInfo> smooth_parameters() {
    return {
        {"beta", 200, 1e-3, 1e9, "sharpness of the sigmoid (Wang, Choi, Liu 2017)"},
        {"window", 0, 0, 1e9,
         "score differences above this / beta get no derivative; 0: all get one (the paper: 2)"}};
}

ChoiceInfo aim_choice() {
    return {"aim",
            "map",
            {"map", "graded-map", "ndcg"},
            "the smoothed measure; graded-map averages map over the relevance thresholds"};
}

SmoothOptions smooth_options(const LearnerOptions& options) {
    SmoothOptions result;
    result.beta = options.parameters.at("beta");
    result.window = options.parameters.at("window");
    const std::string& aim = options.choices.at("aim");
    if (aim == "graded-map") result.aim = SmoothOptions::Aim::kGradedMap;
    if (aim == "ndcg") result.aim = SmoothOptions::Aim::kNdcg;
    return result;
}

double length(std::span<const double> weights) {
    double squares = 0;
    for (const double weight : weights) squares += weight * weight;
    return std::sqrt(squares);
}

namespace {

constexpr std::size_t kQueriesPerChunk = 16;

// Those of `from` and above.
void add_relevant(std::span<const Grade> grades, Grade from, std::vector<Grade>& to) {
    for (const Grade grade : grades) {
        if (grade >= from) to.push_back(grade);
    }
}

double ideal_gain(const std::vector<Grade>& grades) {
    double sum = 0;
    for (std::size_t i = 0; i < grades.size(); ++i) {
        sum += grades[i] / std::log2(static_cast<double>(i) + 2);
    }
    return sum;
}

}  // namespace

SmoothMeasure::SmoothMeasure(const TrainingSet& set, const SmoothOptions& options,
                             const MeasureOptions& judging)
    : set_(set), options_(options) {
    check_options();
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        std::vector<Grade> relevant;
        add_relevant(set.query_grades(q), judging.relevant_from, relevant);
        if (!set.unpooled.empty()) add_relevant(set.unpooled[q], judging.relevant_from, relevant);
        add_query(q, set.query_grades(q), std::move(relevant), judging.relevant_from);
    }
}

SmoothMeasure::SmoothMeasure(const TrainingSet& set, std::span<const Grade> grades,
                             const SmoothOptions& options)
    : set_(set), options_(options) {
    check_options();
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::span<const Grade> pool = grades.subspan(set.query_begin[q], set.pool_size(q));
        std::vector<Grade> relevant;
        add_relevant(pool, 1, relevant);
        add_query(q, pool, std::move(relevant), 1);
    }
}

void SmoothMeasure::check_options() const {
    if (options_.beta > 0 && std::isfinite(options_.beta) && options_.window >= 0) return;
    throw InvalidArgument(
        fmt::format("smooth measure: beta is {} and window {}, expected above 0 and from 0 up",
                    options_.beta, options_.window));
}

// `relevant` holds the grades of all relevant documents, in the pool and out of it.
void SmoothMeasure::add_query(std::size_t query, std::span<const Grade> pool,
                              std::vector<Grade> relevant, Grade relevant_from) {
    Query result;
    for (std::size_t i = 0; i < pool.size(); ++i) {
        if (pool[i] < relevant_from) continue;
        result.targets.push_back(static_cast<std::uint32_t>(i));
        result.grades.push_back(pool[i]);
    }
    std::sort(relevant.begin(), relevant.end(), std::greater<>());
    if (options_.aim == SmoothOptions::Aim::kNdcg) {
        const double ideal = ideal_gain(relevant);
        for (const Grade grade : result.grades) result.gains.push_back(grade / ideal);
    } else {
        for (std::size_t i = 0; i < relevant.size(); ++i) {
            const bool is_last = i + 1 == relevant.size();
            const bool ends_level = is_last || (options_.aim == SmoothOptions::Aim::kGradedMap &&
                                                relevant[i + 1] != relevant[i]);
            if (ends_level) result.levels.push_back({relevant[i], 1 / static_cast<double>(i + 1)});
        }
        for (Level& level : result.levels) level.share /= static_cast<double>(result.levels.size());
    }
    if (!result.targets.empty()) queries_.push_back(query);
    prepared_.push_back(std::move(result));
}

std::string SmoothMeasure::name() const {
    switch (options_.aim) {
        case SmoothOptions::Aim::kGradedMap:
            return "smooth graded map";
        case SmoothOptions::Aim::kNdcg:
            return "smooth ndcg";
        default:
            return "smooth map";
    }
}

SmoothPoint SmoothMeasure::mean(std::span<const double> weights, int order,
                                Executor& executor) const {
    const auto wanted = static_cast<SmoothOrder>(order);
    const std::size_t width = set_.width();
    SmoothPoint empty;
    if (wanted != SmoothOrder::kValue) empty.gradient.assign(width, 0);
    if (wanted == SmoothOrder::kHessian) empty.hessian.assign(width * width, 0);
    const std::size_t chunks = (queries_.size() + kQueriesPerChunk - 1) / kQueriesPerChunk;
    std::vector<SmoothPoint> parts(chunks, empty);
    executor.run(chunks, [&](std::size_t chunk) {
        SmoothQuery work(*this);
        const std::size_t end = std::min(queries_.size(), (chunk + 1) * kQueriesPerChunk);
        for (std::size_t i = chunk * kQueriesPerChunk; i < end; ++i) {
            work.add(queries_[i], weights, wanted, parts[chunk]);
        }
    });
    SmoothPoint result = empty;
    const double count = std::max(1.0, static_cast<double>(queries_.size()));
    for (const SmoothPoint& part : parts) {
        result.value += part.value / count;
        for (std::size_t i = 0; i < part.gradient.size(); ++i) {
            result.gradient[i] += part.gradient[i] / count;
        }
        for (std::size_t i = 0; i < part.hessian.size(); ++i) {
            result.hessian[i] += part.hessian[i] / count;
        }
    }
    return result;
}

double SmoothMeasure::value(std::span<const double> weights, Executor& executor) const {
    return mean(weights, static_cast<int>(SmoothOrder::kValue), executor).value;
}

SmoothPoint SmoothMeasure::with_gradient(std::span<const double> weights,
                                         Executor& executor) const {
    return mean(weights, static_cast<int>(SmoothOrder::kGradient), executor);
}

SmoothPoint SmoothMeasure::with_hessian(std::span<const double> weights, Executor& executor) const {
    return mean(weights, static_cast<int>(SmoothOrder::kHessian), executor);
}

SmoothPoint SmoothMeasure::of_query(std::size_t query, std::span<const double> weights) const {
    SmoothPoint result;
    result.gradient.assign(set_.width(), 0);
    SmoothQuery(*this).add(query, weights, SmoothOrder::kGradient, result);
    return result;
}

std::vector<double> SmoothMeasure::positions(std::size_t query,
                                             std::span<const double> weights) const {
    return SmoothQuery(*this).positions(query, weights);
}

}  // namespace braid
