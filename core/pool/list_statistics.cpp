// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/list_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/error.h"

namespace braid {

// Equations are those of docs/algorithms/ser.md.

namespace {

Grade clamped(Grade grade, const AgreementOptions& options) {
    return std::clamp<Grade>(grade, 0, options.highest_grade);
}

}  // namespace

double pair_weight(Grade better, Grade worse, const AgreementOptions& options) {
    if (better <= worse) return 0;
    if (!options.lower_pairs && better != options.highest_grade) return 0;
    if (options.highest_grade <= 1) return 1;
    return options.theta + (1 - options.theta) * static_cast<double>(better - worse - 1) /
                               static_cast<double>(options.highest_grade - 1);
}

double grade_agreement(std::span<const double> scores, std::span<const Grade> grades,
                       const AgreementOptions& options) {
    const auto levels = static_cast<std::size_t>(options.highest_grade) + 1;
    // A of (1) by grades, the row's document before the column's.
    std::vector<double> table(levels * levels);
    for (std::size_t a = 0; a < levels; ++a) {
        for (std::size_t b = 0; b < levels; ++b) {
            table[a * levels + b] =
                pair_weight(static_cast<Grade>(a), static_cast<Grade>(b), options) -
                pair_weight(static_cast<Grade>(b), static_cast<Grade>(a), options);
        }
    }
    std::vector<std::uint32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
    std::vector<double> before(levels, 0);  // Documents above, by grade; ties count in part.
    double sum = 0;
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        std::vector<double> tied(levels, 0);
        for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
            ++tied[static_cast<std::size_t>(clamped(grades[order[end]], options))];
        }
        // A document is half before itself, too: its own A is 0, its place must not count it.
        const double share = options.ties_are_half ? 0.5 : 0;
        const double places = static_cast<double>(begin) +
                              share * (static_cast<double>(end - begin) - 1) + options.delta;
        for (std::size_t i = begin; i < end && places > 0; ++i) {
            const auto own = static_cast<std::size_t>(clamped(grades[order[i]], options));
            double column = 0;
            for (std::size_t g = 0; g < levels; ++g) {
                column += (before[g] + share * tied[g]) * table[g * levels + own];
            }
            sum += column / places;
        }
        for (std::size_t g = 0; g < levels; ++g) before[g] += tied[g];
        begin = end;
    }
    return sum;
}

// Equations are those of docs/algorithms/list-loss.md.

namespace {

std::vector<double> column_of(const TrainingSet& set, std::size_t query, std::size_t ranker) {
    std::vector<double> column;
    for (std::size_t i = set.query_begin[query]; i < set.query_begin[query + 1]; ++i) {
        column.push_back(set.row(i)[ranker]);
    }
    return column;
}

// 1 where a value is not the least of its column.
double coverage(const std::vector<double>& column) {
    if (column.empty()) return 0;
    const double least = *std::min_element(column.begin(), column.end());
    const auto above = std::count_if(column.begin(), column.end(),
                                     [least](double value) { return value > least; });
    return static_cast<double>(above) / static_cast<double>(column.size());
}

}  // namespace

const std::vector<std::string>& list_statistic_names() {
    static const std::vector<std::string> names = {"list:documents",       "list:coverage",
                                                   "list:coverage-spread", "list:score-spread",
                                                   "list:agreement",       "list:disagreement"};
    return names;
}

std::vector<double> list_statistics(const TrainingSet& set, std::size_t query) {
    std::vector<std::vector<double>> standard;  // Columns of mean 0 and deviation 1.
    std::vector<double> coverages;
    double spread = 0;
    for (std::size_t k = 0; k < set.width(); ++k) {
        std::vector<double> column = column_of(set, query, k);
        coverages.push_back(coverage(column));
        const Spread own = spread_of(column);
        spread += own.deviation / static_cast<double>(set.width());
        if (!(own.deviation > 0)) continue;
        // Halves, since the difference of huge scores may overflow.
        for (double& value : column) value = (value / 2 - own.mean / 2) / own.deviation * 2;
        standard.push_back(std::move(column));
    }
    std::vector<double> correlations;
    for (std::size_t a = 0; a < standard.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            double sum = 0;
            for (std::size_t i = 0; i < standard[a].size(); ++i) {
                sum += standard[a][i] * standard[b][i];
            }
            correlations.push_back(sum / static_cast<double>(standard[a].size()));
        }
    }
    const Spread covered = spread_of(coverages);
    const Spread agreement = spread_of(correlations);
    return {std::log1p(static_cast<double>(set.pool_size(query))),
            covered.mean,
            covered.deviation,
            std::log1p(spread),
            agreement.mean,
            agreement.deviation};
}

void add_list_statistics(TrainingSet& set) {
    std::vector<std::string>& names = set.query_feature_names;
    for (const std::string& name : list_statistic_names()) {
        if (std::find(names.begin(), names.end(), name) == names.end()) continue;
        throw InvalidArgument(fmt::format("the set has query feature {} already", name));
    }
    const std::size_t before = names.size();
    std::vector<double> features;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const auto own = set.query_features.begin() + static_cast<std::ptrdiff_t>(q * before);
        features.insert(features.end(), own, own + static_cast<std::ptrdiff_t>(before));
        const std::vector<double> added = list_statistics(set, q);
        features.insert(features.end(), added.begin(), added.end());
    }
    set.query_features = std::move(features);
    names.insert(names.end(), list_statistic_names().begin(), list_statistic_names().end());
}

namespace {

using Eigen::Index;

// A - R, with A of (1) and R of (3).
Eigen::MatrixXd difference(std::span<const double> scores, std::span<const Grade> grades,
                           const AgreementOptions& options) {
    const auto size = static_cast<Index>(scores.size());
    const auto grade = [&](Index d) {
        return std::clamp<Grade>(grades[static_cast<std::size_t>(d)], 0, options.highest_grade);
    };
    const double tie = options.ties_are_half ? 0.5 : 0;
    Eigen::MatrixXd result(size, size);
    for (Index l = 0; l < size; ++l) {
        const double score = scores[static_cast<std::size_t>(l)];
        for (Index k = 0; k < size; ++k) {
            const double other = scores[static_cast<std::size_t>(k)];
            result(k, l) = k == l ? options.delta : other > score ? 1 : other < score ? 0 : tie;
        }
        const double places = result.col(l).sum();
        for (Index k = 0; k < size; ++k) {
            const double wanted =
                pair_weight(grade(k), grade(l), options) - pair_weight(grade(l), grade(k), options);
            result(k, l) = wanted - result(k, l) / places;
        }
    }
    return result;
}

}  // namespace

double order_distance(std::span<const double> scores, std::span<const Grade> grades,
                      const AgreementOptions& options, MatrixDistance distance) {
    if (scores.empty()) return 0;
    if (scores.size() > kMostMatrixDocuments) {
        throw InvalidArgument(
            fmt::format("{} documents of a query, expected at most {}: matrices of orders have a "
                        "row and a column for each",
                        scores.size(), kMostMatrixDocuments));
    }
    const Eigen::MatrixXd apart = difference(scores, grades, options);
    switch (distance) {
        case MatrixDistance::kColumnNorm:
            return apart.cwiseAbs().colwise().sum().maxCoeff();
        case MatrixDistance::kSpectralNorm: {
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> squares(apart.transpose() * apart,
                                                                         Eigen::EigenvaluesOnly);
            return std::sqrt(std::max(0.0, squares.eigenvalues().maxCoeff()));
        }
        case MatrixDistance::kFrobenius:
            break;
    }
    return apart.squaredNorm() / 2;
}

void similarities(std::span<double> distances, double lambda) {
    if (distances.empty()) return;
    const double least = *std::min_element(distances.begin(), distances.end());
    // Distances that differ by the rounding of their sums alone are one distance.
    const double rounding = 1e-12 * *std::max_element(distances.begin(), distances.end());
    double spread = 0;
    for (const double distance : distances) {
        spread += (distance - least) / static_cast<double>(distances.size());
    }
    for (double& distance : distances) {
        distance = spread > rounding ? std::exp(-(distance - least) / (lambda * spread)) : 1;
    }
}

namespace {

// Up to so many documents it is quicker to compare each with all, without branches.
constexpr std::size_t kFew = 24;

void by_counting(std::span<const std::uint32_t> documents, std::span<const double> scores,
                 std::span<const std::uint32_t> ties, std::span<std::uint32_t> places) {
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const double own = scores[documents[i]];
        std::int64_t greater = 0;
        std::int64_t not_less = 0;
        for (const double score : scores) {
            greater += score > own;
            not_less += score >= own;
        }
        places[i] = static_cast<std::uint32_t>(greater);
        if (not_less == greater + 1) continue;  // Nobody else has that score.
        const std::uint32_t tie = ties[documents[i]];
        for (std::size_t d = 0; d < scores.size(); ++d) {
            places[i] += scores[d] == own && ties[d] < tie ? 1 : 0;
        }
    }
}

struct Tracked {
    double score;
    std::uint32_t tie;
    std::uint32_t at;  // In the list that was asked for.
};

bool is_before(double score, std::uint32_t tie, const Tracked& other) {
    return score != other.score ? score > other.score : tie < other.tie;
}

// For each document the number of tracked ones before it, by bisection; then running sums.
void by_bisection(std::span<const std::uint32_t> documents, std::span<const double> scores,
                  std::span<const std::uint32_t> ties, std::span<std::uint32_t> places) {
    std::vector<Tracked> tracked(documents.size());
    for (std::uint32_t i = 0; i < documents.size(); ++i) {
        tracked[i] = {scores[documents[i]], ties[documents[i]], i};
    }
    std::sort(tracked.begin(), tracked.end(),
              [](const Tracked& a, const Tracked& b) { return is_before(a.score, a.tie, b); });
    std::vector<double> keys;
    keys.reserve(tracked.size());
    for (const Tracked& document : tracked) keys.push_back(document.score);
    std::vector<std::uint32_t> counts(keys.size() + 1, 0);
    for (std::size_t d = 0; d < scores.size(); ++d) {
        const double score = scores[d];
        std::size_t before = 0;
        for (std::size_t left = keys.size(); left > 1; left -= left / 2) {
            before += keys[before + left / 2 - 1] > score ? left / 2 : 0;
        }
        before += keys[before] > score ? 1 : 0;
        if (before < keys.size() && keys[before] == score) {
            const auto end = std::partition_point(
                tracked.begin() + static_cast<std::ptrdiff_t>(before), tracked.end(),
                [&](const Tracked& other) {
                    return other.score == score ? other.tie < ties[d] : other.score > score;
                });
            before = static_cast<std::size_t>(end - tracked.begin());
        }
        ++counts[before];
    }
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < tracked.size(); ++i) {
        sum += counts[i];
        places[tracked[i].at] = sum - 1;  // Each counts itself.
    }
}

}  // namespace

void places_of(std::span<const std::uint32_t> documents, std::span<const double> scores,
               std::span<const std::uint32_t> ties, std::span<std::uint32_t> places) {
    (documents.size() <= kFew ? by_counting : by_bisection)(documents, scores, ties, places);
}

}  // namespace braid
