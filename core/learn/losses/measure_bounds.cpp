// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/measure_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "braid/core/learn/losses/score_loss.h"
#include "braid/error.h"

// Equations are those of docs/algorithms/measure-bounds.md.

namespace braid {

double bound_form(BoundForm form, double x) {
    switch (form) {
        case BoundForm::kExponential:
            return std::exp(x);
        case BoundForm::kLogistic:
            return LogisticLoss(-x).value / std::log(2.0);
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

// Calls visit(lost, distance) for every order of the classes that loses something: how far the
// best ranking of these classes is below the worst perfect one. (6), (7).
template <typename Visit>
void TypeTwoBound::visit_imperfect(std::span<const double> scores, PairsOf pairs,
                                   const Visit& visit) const {
    const std::size_t n = scores.size();
    const auto classes =
        static_cast<std::size_t>(*std::max_element(classes_.begin(), classes_.end())) + 1;
    std::vector<std::vector<double>> sorted(classes);
    for (std::size_t d = 0; d < n; ++d) {
        sorted[static_cast<std::size_t>(classes_[d])].push_back(scores[d]);
    }
    double unequal = static_cast<double>(n * (n - 1));
    for (std::vector<double>& of_class : sorted) {
        std::sort(of_class.rbegin(), of_class.rend());
        const auto count = static_cast<double>(of_class.size());
        unequal -= count * (count - 1);
    }
    const double perfect = Permutations::score(permutations_.worst_perfect(query_, scores), scores);
    const double unit = n < 2 ? 0 : 1 / static_cast<double>(n * (n - 1));
    std::vector<std::size_t> used(classes);
    std::vector<double> sums(classes);
    for (std::size_t o = 0; o < orders(); ++o) {
        if (lost_[o] <= 0) continue;
        std::fill(used.begin(), used.end(), 0);
        std::fill(sums.begin(), sums.end(), 0);
        double score = 0;
        double wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint8_t here = orders_[o * n + i];
            const double x = sorted[here][used[here]++];
            sums[here] += x;
            score += x * (static_cast<double>(n) - 1 - 2 * static_cast<double>(i));
            if (pairs == PairsOf::kAll) continue;
            for (std::size_t worse = 0; worse < here; ++worse) {
                wrong += static_cast<double>(used[worse]) * x - sums[worse];
            }
        }
        visit(lost_[o], pairs == PairsOf::kAll ? perfect - unit * score : 4 * wrong / unequal);
    }
}

double TypeTwoBound::maximum(std::span<const double> scores, BoundForm form, PairsOf pairs) const {
    double most = 0;
    visit_imperfect(scores, pairs, [&](double lost, double distance) {
        most = std::max(most, lost * bound_form(form, -distance));
    });
    return most;
}

double TypeTwoBound::least_distance(std::span<const double> scores, PairsOf pairs) const {
    double least = std::numeric_limits<double>::infinity();
    visit_imperfect(scores, pairs,
                    [&](double, double distance) { least = std::min(least, distance); });
    return std::isinf(least) ? 0 : least;
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
