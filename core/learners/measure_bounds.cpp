// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/measure_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/error.h"

// Equations are those of docs/algorithms/measure-bounds.md.

namespace braid {

double bound_form(BoundForm form, double x) {
    switch (form) {
        case BoundForm::kExponential:
            return std::exp(x);
        case BoundForm::kLogistic:
            return (std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)))) / std::log(2.0);
        case BoundForm::kHinge:
            break;
    }
    return std::max(0.0, 1 + x);
}

double basic_loss(const TrainingMeasure& measure, const RankingFunction& function) {
    double sum = 0;
    for (const std::size_t q : measure.queries()) sum += 1 - measure.of_query(q, function);
    return sum;
}

double type_one_bound(const TrainingMeasure& measure, const RankingFunction& function,
                      BoundForm form) {
    double sum = 0;
    for (const std::size_t q : measure.queries()) {
        sum += bound_form(form, -measure.of_query(q, function));
    }
    return sum;
}

TypeTwoBound::TypeTwoBound(const Permutations& permutations, std::size_t query, std::size_t most)
    : permutations_(permutations), query_(query) {
    // Classes of documents as small numbers, in the order of the measure.
    const std::size_t n = permutations.measure().set().pool_size(query);
    std::map<int, int> numbers;
    for (std::size_t d = 0; d < n; ++d) numbers[permutations.class_of(query, d)] = 0;
    int next = 0;
    for (auto& [original, number] : numbers) number = next++;
    for (std::size_t d = 0; d < n; ++d) {
        classes_.push_back(numbers[permutations.class_of(query, d)]);
    }
    const std::size_t orders = count_orders();
    if (numbers.size() > std::numeric_limits<std::uint8_t>::max() || orders > most) {
        throw InvalidArgument(
            fmt::format("query {} has more than {} orders of its {} documents' classes: too many "
                        "for an exact bound",
                        query, most, n));
    }
    std::vector<std::uint8_t> order(classes_.begin(), classes_.end());
    std::sort(order.begin(), order.end());
    // One document stands for its class: any of them gives the same measure.
    std::vector<std::vector<std::uint32_t>> members(numbers.size());
    for (std::size_t d = 0; d < n; ++d) {
        members[static_cast<std::size_t>(classes_[d])].push_back(static_cast<std::uint32_t>(d));
    }
    std::vector<std::size_t> used(members.size());
    Permutation ranking(n);
    do {
        std::fill(used.begin(), used.end(), 0);
        for (std::size_t i = 0; i < n; ++i) ranking[i] = members[order[i]][used[order[i]]++];
        orders_.insert(orders_.end(), order.begin(), order.end());
        const bool is_perfect = permutations.is_perfect(query, ranking);
        lost_.push_back(is_perfect ? 0 : permutations.lost(query, ranking));
    } while (std::next_permutation(order.begin(), order.end()));
}

// The multinomial coefficient, or the largest number where that is beyond it.
std::size_t TypeTwoBound::count_orders() const {
    std::map<int, std::size_t> counts;
    double logarithm = std::lgamma(static_cast<double>(classes_.size()) + 1);
    for (const int of_document : classes_) ++counts[of_document];
    for (const auto& [of_class, count] : counts) {
        logarithm -= std::lgamma(static_cast<double>(count) + 1);
    }
    if (logarithm > 40) return std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>(std::llround(std::exp(logarithm)));
}

double TypeTwoBound::maximum(std::span<const double> scores, BoundForm form) const {
    const double perfect = Permutations::score(permutations_.worst_perfect(query_, scores), scores);
    // The best ranking with given classes has each class in descending order of score.
    std::vector<std::uint32_t> descending(scores.size());
    std::iota(descending.begin(), descending.end(), 0U);
    std::sort(descending.begin(), descending.end(),
              [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
    std::vector<std::vector<double>> sorted(std::numeric_limits<std::uint8_t>::max() +
                                            std::size_t{1});
    for (const std::uint32_t d : descending) {
        sorted[static_cast<std::size_t>(classes_[d])].push_back(scores[d]);
    }
    const std::size_t n = scores.size();
    const double unit = n < 2 ? 0 : 1 / (static_cast<double>(n) * static_cast<double>(n - 1));
    std::vector<std::size_t> used(sorted.size());
    double most = 0;
    for (std::size_t o = 0; o < orders(); ++o) {
        if (lost_[o] <= 0) continue;
        std::fill(used.begin(), used.end(), 0);
        double score = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint8_t of_place = orders_[o * n + i];
            score += sorted[of_place][used[of_place]++] *
                     (static_cast<double>(n) - 1 - 2 * static_cast<double>(i));
        }
        most = std::max(most, lost_[o] * bound_form(form, unit * score - perfect));
    }
    return most;
}

double TypeTwoBound::least_distance(std::span<const double> scores) const {
    const auto imperfect = permutations_.best_imperfect(query_, scores);
    if (!imperfect) return 0;
    return Permutations::score(permutations_.worst_perfect(query_, scores), scores) -
           Permutations::score(*imperfect, scores);
}

BoundOfSets type_two_of_sets(const Permutations& permutations, std::size_t query,
                             std::span<const double> scores, std::span<const Permutation> perfect,
                             std::span<const Permutation> imperfect, BoundForm form) {
    BoundOfSets result;
    for (const Permutation& bad : imperfect) {
        const double lost = permutations.lost(query, bad);
        const double of_bad = Permutations::score(bad, scores);
        for (const Permutation& good : perfect) {
            const double part = lost * bound_form(form, of_bad - Permutations::score(good, scores));
            result.maximum = std::max(result.maximum, part);
            result.sum += part;
        }
    }
    return result;
}

}  // namespace braid
