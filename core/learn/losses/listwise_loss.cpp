// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/listwise_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

// Equations are those of docs/algorithms/listwise.md.

namespace braid {
namespace {

// log(e^a + e^b), for -infinity, too.
double add_logs(double a, double b) {
    const double larger = std::max(a, b);
    if (larger == -std::numeric_limits<double>::infinity()) return larger;
    return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// Documents above the query's lowest grade: those that have a stage.
std::size_t stages(std::span<const Grade> grades) {
    if (grades.empty()) return 0;
    Grade lowest = learning_grade(grades[0]);
    for (const Grade grade : grades) lowest = std::min(lowest, learning_grade(grade));
    return static_cast<std::size_t>(std::count_if(
        grades.begin(), grades.end(), [&](Grade grade) { return learning_grade(grade) > lowest; }));
}

}  // namespace

TopOneLoss::TopOneLoss(const TrainingSet& set) : set_(set), wanted_(set.rows()) {
    double queries = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::span<const Grade> grades = set.query_grades(q);
        const bool teaches = stages(grades) > 0;
        weights_.push_back(teaches ? 1 : 0);
        if (!teaches) continue;
        ++queries;
        Grade highest = 0;
        for (const Grade grade : grades) highest = std::max(highest, learning_grade(grade));
        double total = 0;
        for (std::size_t i = 0; i < grades.size(); ++i) {
            double& wanted = wanted_[set.query_begin[q] + i];
            wanted = std::exp(static_cast<double>(learning_grade(grades[i])) - highest);
            total += wanted;
        }
        for (std::size_t i = 0; i < grades.size(); ++i) wanted_[set.query_begin[q] + i] /= total;
    }
    for (double& weight : weights_) weight /= std::max(queries, 1.0);
}

double TopOneLoss::of_query(std::size_t query, std::span<const double> scores,
                            std::span<double> slopes) const {
    std::fill(slopes.begin(), slopes.end(), 0);
    const double weight = weights_[query];
    if (weight == 0) return 0;
    const double* wanted = wanted_.data() + set_.query_begin[query];
    const double highest = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        slopes[i] = std::exp(scores[i] - highest);
        total += slopes[i];
    }
    const double log_total = std::log(total);
    double loss = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {  // (1), (2)
        if (wanted[i] > 0) {
            loss += wanted[i] * (std::log(wanted[i]) - (scores[i] - highest - log_total));
        }
        slopes[i] = weight * (slopes[i] / total - wanted[i]);
    }
    return weight * std::max(loss, 0.0);
}

PlackettLuceLoss::PlackettLuceLoss(const TrainingSet& set, Costs costs)
    : set_(set), by_grade_(set.rows()) {
    double all = 0;
    double queries = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::span<const Grade> grades = set.query_grades(q);
        const auto first = by_grade_.begin() + static_cast<std::ptrdiff_t>(set.query_begin[q]);
        const auto last = first + static_cast<std::ptrdiff_t>(grades.size());
        std::iota(first, last, 0U);
        std::stable_sort(first, last, [&](std::uint32_t a, std::uint32_t b) {
            return learning_grade(grades[a]) < learning_grade(grades[b]);
        });
        weights_.push_back(static_cast<double>(stages(grades)));
        all += weights_.back();
        queries += weights_.back() > 0 ? 1 : 0;
    }
    for (double& weight : weights_) {
        if (weight == 0) continue;
        weight = costs == Costs::kEven ? 1 / all : 1 / (queries * weight);
    }
}

double PlackettLuceLoss::of_query(std::size_t query, std::span<const double> scores,
                                  std::span<double> slopes) const {
    std::fill(slopes.begin(), slopes.end(), 0);
    const double weight = weights_[query];
    if (weight == 0) return 0;
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    const std::span<const Grade> grades = set_.query_grades(query);
    const std::uint32_t* order = by_grade_.data() + set_.query_begin[query];
    const std::size_t n = scores.size();
    const auto grade_at = [&](std::size_t i) { return learning_grade(grades[order[i]]); };
    // Ends of the grades in `order`, and the log of the sum of e^score up to there.
    std::vector<std::size_t> ends;
    std::vector<double> logs;
    double loss = 0;
    double log_sum = kNone;
    for (std::size_t begin = 0; begin < n;) {
        std::size_t end = begin;
        double sum = 0;
        for (; end < n && grade_at(end) == grade_at(begin); ++end) {
            log_sum = add_logs(log_sum, scores[order[end]]);
            sum += scores[order[end]];
        }
        if (begin > 0) loss += static_cast<double>(end - begin) * log_sum - sum;  // (3)
        ends.push_back(end);
        logs.push_back(log_sum);
        begin = end;
    }
    double later = kNone;  // (4): of the stages of this grade and all above
    for (std::size_t level = ends.size(); level-- > 0;) {
        const std::size_t begin = level == 0 ? 0 : ends[level - 1];
        const double is_stage = level > 0 ? 1 : 0;
        if (level > 0) {
            later =
                add_logs(later, std::log(static_cast<double>(ends[level] - begin)) - logs[level]);
        }
        for (std::size_t i = begin; i < ends[level]; ++i) {
            const std::uint32_t document = order[i];
            slopes[document] = weight * (std::exp(scores[document] + later) - is_stage);
        }
    }
    return weight * std::max(loss, 0.0);
}

}  // namespace braid
