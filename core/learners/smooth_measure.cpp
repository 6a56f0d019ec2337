// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/smooth_measure.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/learners/smooth_query.h"

namespace braid {
namespace {

constexpr std::size_t kQueriesPerChunk = 16;

// Grades of all judged relevant documents, in the pool and out of it; highest first.
std::vector<Grade> relevant_grades(const TrainingSet& set, std::size_t query, Grade from) {
    std::vector<Grade> grades;
    for (const Grade grade : set.query_grades(query)) {
        if (grade >= from) grades.push_back(grade);
    }
    if (!set.unpooled.empty()) {
        for (const Grade grade : set.unpooled[query]) {
            if (grade >= from) grades.push_back(grade);
        }
    }
    std::sort(grades.begin(), grades.end(), std::greater<>());
    return grades;
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
    if (!(options.beta > 0) || !std::isfinite(options.beta) || !(options.window >= 0)) {
        throw InvalidArgument(
            fmt::format("smooth measure: beta is {} and window {}, expected above 0 and from 0 up",
                        options.beta, options.window));
    }
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        prepared_.push_back(prepare(q, judging.relevant_from));
        if (!prepared_.back().targets.empty()) queries_.push_back(q);
    }
}

SmoothMeasure::Query SmoothMeasure::prepare(std::size_t query, Grade relevant_from) const {
    Query result;
    const std::span<const Grade> grades = set_.query_grades(query);
    for (std::size_t i = 0; i < grades.size(); ++i) {
        if (grades[i] < relevant_from) continue;
        result.targets.push_back(static_cast<std::uint32_t>(i));
        result.grades.push_back(grades[i]);
    }
    const std::vector<Grade> relevant = relevant_grades(set_, query, relevant_from);
    if (options_.aim == SmoothOptions::Aim::kNdcg) {
        const double ideal = ideal_gain(relevant);
        for (const std::uint32_t i : result.targets) result.gains.push_back(grades[i] / ideal);
        return result;
    }
    for (std::size_t i = 0; i < relevant.size(); ++i) {
        const bool is_last = i + 1 == relevant.size();
        const bool ends_level = is_last || (options_.aim == SmoothOptions::Aim::kGradedMap &&
                                            relevant[i + 1] != relevant[i]);
        if (ends_level) result.levels.push_back({relevant[i], 1 / static_cast<double>(i + 1)});
    }
    for (Level& level : result.levels) level.share /= static_cast<double>(result.levels.size());
    return result;
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
