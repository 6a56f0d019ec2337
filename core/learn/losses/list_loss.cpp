// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/list_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/core/learn/losses/list_objective.h"
#include "braid/core/learn/losses/score_loss.h"
#include "braid/error.h"
#include "braid/training_set.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// Weights in units of e^level, so that none leaves the range of a double.
class LogSum {
  public:
    void add(double logarithm, double count) {
        if (logarithm > level_) {
            sum_ = sum_ * std::exp(level_ - logarithm) + count;
            level_ = logarithm;
        } else {
            sum_ += count * std::exp(logarithm - level_);
        }
    }
    double value() const { return level_ + std::log(sum_); }
    double times(double logarithm) const { return sum_ * std::exp(level_ + logarithm); }

  private:
    double level_ = kNone;
    double sum_ = 0;
};

// Mean and variance of values with weights e^logarithm x count, after Welford: the difference of
// two sums would lose what small spreads are made of.
class LogMoments {
  public:
    void add(double logarithm, double count, double value) {
        double weight = count;
        if (logarithm > level_) {
            const double shrink = std::exp(level_ - logarithm);
            sum_ *= shrink;
            squares_ *= shrink;
            level_ = logarithm;
        } else {
            weight *= std::exp(logarithm - level_);
        }
        if (weight == 0) return;
        sum_ += weight;
        const double step = value - mean_;
        mean_ += step * (weight / sum_);
        squares_ += weight * step * (value - mean_);
    }
    double log_sum() const { return level_ + std::log(sum_); }
    double mean() const { return mean_; }
    double variance() const { return sum_ > 0 ? squares_ / sum_ : 0; }

  private:
    double level_ = kNone;
    double sum_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

struct Stage {
    double log_sum = 0;
    double mean = 0;
    double variance = 0;
};

// One pair after the other, for scores too far apart for one scale of exponentials.
double pairs_one_by_one(std::span<const Grade> grades, std::span<const double> scores,
                        std::span<double> gradient) {
    double loss = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        for (std::size_t j = 0; j < scores.size(); ++j) {
            if (learning_grade(grades[i]) <= learning_grade(grades[j])) continue;
            const LogisticLoss logistic(scores[i] - scores[j]);
            loss += logistic.value;
            if (gradient.empty()) continue;
            gradient[i] += logistic.slope;
            gradient[j] -= logistic.slope;
        }
    }
    return loss;
}

// The sum of log(1 + odds) with a logarithm for many of them.
class LogProduct {
  public:
    void add(double odds) {
        // The next term of the series is below 1e-16 of the first.
        constexpr double kSmall = 1e-4;
        constexpr double kLarge = 1e10;
        constexpr double kFull = 1e290;
        if (odds < kSmall) {
            small_ += odds * (1 - odds * (1. / 2 - odds * (1. / 3 - odds / 4)));
        } else if (odds > kLarge) {
            logs_ += std::log1p(odds);
        } else {
            product_ *= 1 + odds;
            if (product_ < kFull) return;
            logs_ += std::log(product_);
            product_ = 1;
        }
    }
    double value() const { return logs_ + std::log(product_) + small_; }

  private:
    double product_ = 1;
    double logs_ = 0;
    double small_ = 0;
};

// Documents of one grade, the highest score first, so that small odds are together.
struct Level {
    Grade grade;
    std::vector<std::uint32_t> documents;
    std::vector<double> powers;  // e^score
    std::vector<double> slopes;
};

std::vector<Level> levels_of(std::span<const Grade> grades, std::span<const double> scores,
                             double middle) {
    std::vector<std::uint32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Grade first = learning_grade(grades[a]);
        const Grade second = learning_grade(grades[b]);
        if (first != second) return first > second;
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    std::vector<Level> levels;
    for (const std::uint32_t document : order) {
        const Grade grade = learning_grade(grades[document]);
        if (levels.empty() || levels.back().grade != grade) levels.push_back({grade, {}, {}, {}});
        levels.back().documents.push_back(document);
        levels.back().powers.push_back(std::exp(scores[document] - middle));
        levels.back().slopes.push_back(0);
    }
    return levels;
}

// log(1 + e^(b - a)) and its slopes need no exponential of their own: e^(b - a) = e^b / e^a.
double pairs_by_powers(std::vector<Level>& levels) {
    LogProduct loss;
    for (std::size_t better = 0; better < levels.size(); ++better) {
        for (std::size_t i = 0; i < levels[better].powers.size(); ++i) {
            const double inverse = 1 / levels[better].powers[i];
            double slope = 0;
            for (std::size_t worse = better + 1; worse < levels.size(); ++worse) {
                Level& level = levels[worse];
                for (std::size_t j = 0; j < level.powers.size(); ++j) {
                    const double odds = level.powers[j] * inverse;
                    const double share = odds / (1 + odds);
                    loss.add(odds);
                    slope += share;
                    level.slopes[j] += share;
                }
            }
            levels[better].slopes[i] -= slope;
        }
    }
    return loss.value();
}

double count_pairs(std::span<const Grade> grades) {
    std::map<Grade, double> counts;
    for (const Grade grade : grades) ++counts[learning_grade(grade)];
    double pairs = 0;
    double below = 0;
    for (const auto& [grade, count] : counts) {
        pairs += count * below;
        below += count;
    }
    return pairs;
}

}  // namespace

ListStages stages_of(std::span<const Grade> grades, GradeTies ties, Random& random) {
    ListStages stages;
    stages.order.resize(grades.size());
    std::iota(stages.order.begin(), stages.order.end(), 0U);
    if (ties != GradeTies::kBreslow) random.shuffle(stages.order);
    std::stable_sort(stages.order.begin(), stages.order.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                         return learning_grade(grades[a]) > learning_grade(grades[b]);
                     });
    stages.counts.assign(grades.size(), 0);
    if (grades.empty()) return stages;
    const Grade lowest = learning_grade(grades[stages.order.back()]);
    std::size_t group = 0;
    for (std::size_t i = 0; i < grades.size(); ++i) {
        const Grade grade = learning_grade(grades[stages.order[i]]);
        if (grade == lowest && ties != GradeTies::kFull) break;
        if (grade != learning_grade(grades[stages.order[group]])) group = i;
        ++stages.counts[ties == GradeTies::kBreslow ? group : i];
        stages.chosen = i + 1;
    }
    return stages;
}

double list_loss(const ListStages& stages, std::span<const double> scores,
                 std::span<double> gradient) {
    const std::size_t size = scores.size();
    std::vector<double> log_sums(size);
    LogSum suffix;
    double loss = 0;
    for (std::size_t i = size; i-- > 0;) {
        suffix.add(scores[i], 1);
        log_sums[i] = suffix.value();
        // The stages of a place choose the documents from there on, one each.
        if (stages.counts[i] > 0) loss += stages.counts[i] * log_sums[i];
        if (i < stages.chosen) loss -= scores[i];
    }
    if (gradient.empty()) return loss;
    LogSum prefix;  // sum of counts / e^log_sum: (4)
    for (std::size_t i = 0; i < size; ++i) {
        if (stages.counts[i] > 0) prefix.add(-log_sums[i], stages.counts[i]);
        gradient[i] = prefix.times(scores[i]) - (i < stages.chosen ? 1 : 0);
    }
    return loss;
}

double list_spread(const ListStages& stages, double scale, std::span<const double> scores,
                   std::span<double> gradient) {
    const std::size_t size = scores.size();
    std::vector<Stage> places(size);
    LogMoments suffix;
    double spread = 0;
    for (std::size_t i = size; i-- > 0;) {
        suffix.add(scale * scores[i], 1, scores[i]);
        places[i] = {suffix.log_sum(), suffix.mean(), suffix.variance()};
        spread += stages.counts[i] * places[i].variance;
    }
    if (gradient.empty()) return spread;
    LogSum weights;  // (6): of the stages so far, as they weigh a document of score 0
    LogMoments means;
    LogMoments variances;
    for (std::size_t i = 0; i < size; ++i) {
        if (stages.counts[i] > 0) {
            weights.add(-places[i].log_sum, stages.counts[i]);
            means.add(-places[i].log_sum, stages.counts[i], places[i].mean);
            variances.add(-places[i].log_sum, stages.counts[i], places[i].variance);
        }
        const double step = scores[i] - means.mean();
        const double bend = step * step + means.variance() - variances.mean();
        gradient[i] = weights.times(scale * scores[i]) * (2 * step + scale * bend);
    }
    return spread;
}

double pair_loss(std::span<const Grade> grades, std::span<const double> scores,
                 std::span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    const double pairs = count_pairs(grades);
    if (pairs == 0) return 0;
    const auto [lowest, highest] = std::minmax_element(scores.begin(), scores.end());
    constexpr double kWidest = 600;  // e^600, and its inverse, are numbers.
    double loss = 0;
    if (*highest - *lowest <= kWidest) {
        std::vector<Level> levels = levels_of(grades, scores, (*lowest + *highest) / 2);
        loss = pairs_by_powers(levels);
        for (const Level& level : levels) {
            for (std::size_t i = 0; i < level.documents.size() && !gradient.empty(); ++i) {
                gradient[level.documents[i]] = level.slopes[i];
            }
        }
    } else {
        loss = pairs_one_by_one(grades, scores, gradient);
    }
    for (double& part : gradient) part /= pairs;
    return loss / pairs;
}

// Equations are those of docs/algorithms/list-loss.md.

namespace {

void check_weights(const TrainingSet& set, std::span<const double> weights) {
    if (weights.size() != set.width()) {
        throw InvalidArgument(fmt::format("{} weights for {} rankers, expected one a ranker",
                                          weights.size(), set.width()));
    }
    for (const double weight : weights) {
        if (std::isfinite(weight)) continue;
        throw InvalidArgument(fmt::format("a weight is {}, expected a finite number", weight));
    }
    if (sums_to_nothing(weights)) {
        throw InvalidArgument("the weights sum to 0: the rankers have no shares of them");
    }
}

}  // namespace

LossDecomposition decompose_loss(const TrainingSet& set, std::span<const double> weights,
                                 double interpolation) {
    check_weights(set, weights);
    const ListObjective plain(set, {});
    const ListObjective diverse(set, {.diversity = 1, .interpolation = interpolation});
    LossDecomposition sum;
    for (const double weight : weights) sum.weight_sum += weight;
    sum.queries = plain.queries().size();
    for (std::size_t i = 0; i < sum.queries; ++i) {
        const ListObjective::Query& query = diverse.whole(i);
        std::vector<double> ensemble;
        for (const std::uint32_t row : query.rows) ensemble.push_back(dot(set.row(row), weights));
        std::vector<double> slopes(ensemble.size());
        const double loss = list_loss(query.stages, ensemble, slopes);
        const double slope = dot(slopes, ensemble);
        std::vector<double> scores(ensemble.size());
        for (std::size_t k = 0; k < weights.size(); ++k) {
            for (std::size_t d = 0; d < scores.size(); ++d) scores[d] = set.row(query.rows[d])[k];
            const double own = list_loss(query.stages, scores, {});
            const double share = weights[k] / sum.weight_sum;
            sum.rankers += share * own;
            sum.ambiguity += share * (own - loss - (dot(slopes, scores) - slope));  // (15)
        }
        sum.ensemble += loss;
        sum.slope += slope;
        sum.diversity += loss - diverse.value(query, weights, {});
    }
    const auto count = static_cast<double>(sum.queries > 0 ? sum.queries : 1);
    for (double* part : {&sum.ensemble, &sum.rankers, &sum.ambiguity, &sum.slope, &sum.diversity}) {
        *part /= count;
    }
    return sum;
}

}  // namespace braid
