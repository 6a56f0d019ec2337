// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/list_objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "braid/core/base/vector_sums.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

bool has_grades(const TrainingSet& set, const std::vector<std::uint32_t>& rows) {
    return std::any_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
        return learning_grade(set.grades[row]) != learning_grade(set.grades[rows.front()]);
    });
}

std::vector<std::uint32_t> rows_of(const TrainingSet& set, std::size_t query) {
    std::vector<std::uint32_t> rows(set.pool_size(query));
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(set.query_begin[query]));
    return rows;
}

}  // namespace

bool sums_to_nothing(std::span<const double> weights) {
    double sum = 0;
    double magnitude = 0;
    for (const double weight : weights) {
        sum += weight;
        magnitude += std::abs(weight);
    }
    return !(std::abs(sum) > 1e-6 * magnitude);
}

ListObjective::ListObjective(const TrainingSet& set, const ListOptions& options)
    : set_(set), options_(options) {
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::vector<std::uint32_t> rows = rows_of(set, q);
        if (rows.empty() || !has_grades(set, rows)) continue;
        Random random(options.seed, q);
        queries_.push_back(q);
        wholes_.push_back(query_of(rows, random));
    }
}

ListObjective::Query ListObjective::query_of(const std::vector<std::uint32_t>& rows,
                                             Random& random) const {
    std::vector<Grade> grades;
    grades.reserve(rows.size());
    for (const std::uint32_t row : rows) grades.push_back(set_.grades[row]);
    Query query;
    query.stages = stages_of(grades, options_.ties, random);
    for (const std::uint32_t place : query.stages.order) {
        query.rows.push_back(rows[place]);
        query.grades.push_back(grades[place]);
    }
    if (options_.diversity > 0) find_constants(query);
    return query;
}

void ListObjective::find_constants(Query& query) const {
    const std::size_t size = query.rows.size();
    std::vector<double> scores(size, 0);
    std::vector<double> slopes(size);
    list_loss(query.stages, scores, slopes);
    for (std::size_t k = 0; k < set_.width(); ++k) {
        double slope = 0;
        for (std::size_t i = 0; i < size; ++i) {
            scores[i] = set_.row(query.rows[i])[k];
            slope += slopes[i] * scores[i];
        }
        query.slopes.push_back(slope);
        query.spreads.push_back(list_spread(query.stages, options_.interpolation, scores, {}) / 2);
    }
}

// (8), and what it adds to the derivatives by scores (`slopes`) and, past them, by weights.
double ListObjective::subtract_diversity(const Query& query, std::span<const double> weights,
                                         std::span<const double> scores, std::span<double> slopes,
                                         std::span<double> gradient) const {
    double sum = 0;
    double spreads = 0;  // sum of w C'
    double slope = 0;    // sum of w b
    for (std::size_t k = 0; k < weights.size(); ++k) {
        sum += weights[k];
        spreads += weights[k] * query.spreads[k];
        slope += weights[k] * query.slopes[k];
    }
    std::vector<double> bends(gradient.empty() ? 0 : scores.size());
    const double own = list_spread(query.stages, options_.interpolation, scores, bends) / 2;
    const double diversity = spreads / sum + (1 / sum - 1) * slope - own;
    for (std::size_t i = 0; i < bends.size(); ++i) slopes[i] += options_.diversity * bends[i] / 2;
    for (std::size_t k = 0; k < gradient.size(); ++k) {
        const double part = query.spreads[k] / sum - spreads / sum / sum +
                            (1 / sum - 1) * query.slopes[k] - slope / sum / sum;
        gradient[k] -= options_.diversity * part;
    }
    return options_.diversity * diversity;
}

double ListObjective::value(const Query& query, std::span<const double> weights,
                            std::span<double> gradient) const {
    const std::size_t size = query.rows.size();
    std::vector<double> scores(size);
    std::vector<double> slopes(gradient.empty() ? 0 : size);
    for (std::size_t i = 0; i < size; ++i) {
        const std::span<const double> row = set_.row(query.rows[i]);
        double sum = 0;
        for (std::size_t k = 0; k < row.size(); ++k) sum += weights[k] * row[k];
        scores[i] = sum;
    }
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double value = options_.pairs ? pair_loss(query.grades, scores, slopes)
                                  : list_loss(query.stages, scores, slopes);
    if (options_.diversity > 0) {
        value -= subtract_diversity(query, weights, scores, slopes, gradient);
    }
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const std::span<const double> row = set_.row(query.rows[i]);
        for (std::size_t k = 0; k < row.size(); ++k) gradient[k] += slopes[i] * row[k];
    }
    if (!options_.queries_alike) return value;
    const auto chosen = static_cast<double>(query.stages.chosen);
    for (double& slope : gradient) slope /= chosen;
    return value / chosen;
}

double ListObjective::mean(std::span<const double> weights, std::span<double> gradient) const {
    const double share = wholes_.empty() ? 0 : 1 / static_cast<double>(wholes_.size());
    double sum = 0;
    std::vector<double> slopes(gradient.size());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (const Query& query : wholes_) {
        sum += value(query, weights, slopes);
        add_multiple(share, slopes, gradient);
    }
    return share * sum;
}

std::vector<ParameterInfo> list_parameters(bool with_diversity) {
    if (!with_diversity) return {};
    return {{"lambda", 0.01, 0, 100, "weight of diversity (MQ2008: 0.01)"},
            {"interpolation", 0.5, 0, 1,
             "point between 0 and the scores where diversity is taken (0.5)"}};
}

ChoiceInfo list_ties_choice() {
    return {"ties",
            "breslow",
            {"breslow", "full"},
            "documents of equal grade: no order, or a random one of all as in the paper"};
}

ChoiceInfo list_queries_choice() {
    return {"queries",
            "as-chosen",
            {"as-chosen", "alike"},
            "weight of a query: its number of chosen documents, or 1"};
}

ListOptions list_options(const LearnerOptions& options) {
    ListOptions result;
    result.seed = options.seed;
    if (options.parameters.count("lambda") > 0) {
        result.diversity = options.parameters.at("lambda");
        result.interpolation = options.parameters.at("interpolation");
    }
    if (options.choices.count("queries") > 0) {
        result.queries_alike = options.choices.at("queries") == "alike";
    }
    if (options.choices.count("ties") > 0) {
        const bool is_full = options.choices.at("ties") == "full";
        result.ties = is_full ? GradeTies::kFull : GradeTies::kBreslow;
    }
    return result;
}

}  // namespace braid
