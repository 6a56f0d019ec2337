// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/losses/permutations.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/error.h"

// Equations are those of docs/algorithms/permurank.md.

namespace braid {
namespace {

// Half the distance between the places' weights.
double unit(std::size_t documents) {
    const auto n = static_cast<double>(documents);
    return documents < 2 ? 0 : 1 / (n * (n - 1));
}

// Of the first place; the next is 2 less.
double first_weight(std::size_t documents) { return static_cast<double>(documents) - 1; }

// Adds `amount` times the slope of F.
void add_slope(const Permutation& ranking, double amount, std::span<double> slopes) {
    const double scale = amount * unit(ranking.size());
    double weight = first_weight(ranking.size());
    for (const std::uint32_t document : ranking) {
        slopes[document] += scale * weight;
        weight -= 2;
    }
}

bool add_new(std::vector<Permutation>& to, Permutation ranking) {
    if (std::find(to.begin(), to.end(), ranking) != to.end()) return false;
    to.push_back(std::move(ranking));
    return true;
}

}  // namespace

Permutations::Permutations(const TrainingMeasure& measure) : measure_(measure) {
    const std::string name = measure.measure().name();
    const std::string base = name.substr(0, name.find('@'));
    const bool is_binary = name == "map";
    if (!is_binary && base != "ndcg" && base != "ndcg-exp") {
        throw InvalidArgument(
            fmt::format("measure '{}': permurank must know which rankings are perfect, which it "
                        "does for map, ndcg, ndcg@k, ndcg-exp and ndcg-exp@k",
                        name));
    }
    for (const Grade grade : measure.set().grades) {
        if (is_binary) {
            classes_.push_back(grade >= measure.relevant_from() ? 1 : 0);
        } else {
            classes_.push_back(std::max(static_cast<int>(grade), 0));
        }
    }
}

std::size_t Permutations::depth(std::size_t query) const {
    return std::min(measure_.measure().depth(), measure_.set().pool_size(query));
}

Permutation Permutations::sorted(std::size_t query, std::span<const double> scores) const {
    const auto ties = measure_.tie_order(query);
    Permutation result(scores.size());
    std::iota(result.begin(), result.end(), 0U);
    std::sort(result.begin(), result.end(), [&](std::uint32_t a, std::uint32_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : ties[a] < ties[b];
    });
    return result;
}

// Documents of better classes first, as far as the cut-off sees them; otherwise in the order given.
void Permutations::arrange(std::size_t query, Permutation& order) const {
    const int* classes = classes_.data() + measure_.set().query_begin[query];
    std::vector<std::uint32_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return classes[a] > classes[b]; });
    const auto cut = order.begin() + static_cast<std::ptrdiff_t>(depth(query));
    std::sort(cut, order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
}

Permutation Permutations::worst_perfect(std::size_t query, std::span<const double> scores) const {
    Permutation result = sorted(query, scores);
    std::reverse(result.begin(), result.end());
    arrange(query, result);
    return result;
}

Permutation Permutations::best_perfect(std::size_t query, std::span<const double> scores) const {
    Permutation result = sorted(query, scores);
    arrange(query, result);
    return result;
}

bool Permutations::is_perfect(std::size_t query, const Permutation& ranking) const {
    const int* classes = classes_.data() + measure_.set().query_begin[query];
    std::vector<int> ideal(ranking.size());
    for (std::size_t i = 0; i < ideal.size(); ++i) ideal[i] = classes[i];
    std::sort(ideal.rbegin(), ideal.rend());
    for (std::size_t i = 0; i < depth(query); ++i) {
        if (classes[ranking[i]] != ideal[i]) return false;
    }
    return true;
}

std::optional<Permutation> Permutations::best_imperfect(std::size_t query,
                                                        std::span<const double> scores) const {
    const int* classes = classes_.data() + measure_.set().query_begin[query];
    Permutation result = sorted(query, scores);
    if (!is_perfect(query, result)) return result;
    // (3): the cheapest document to move up past one of a better class.
    const std::size_t cut = depth(query);
    double least = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    const auto offer = [&](std::size_t place, std::size_t moved, double price) {
        if (from > 0 && price >= least) return;
        least = price;
        to = place;
        from = moved;
    };
    for (std::size_t i = 0; i + 1 < cut; ++i) {
        if (classes[result[i]] == classes[result[i + 1]]) continue;
        offer(i, i + 1, scores[result[i]] - scores[result[i + 1]]);
    }
    double price = 0;
    for (std::size_t i = cut; cut > 0 && i < result.size(); ++i) {
        if (classes[result[i]] == classes[result[cut - 1]]) continue;
        for (std::size_t j = cut - 1; j < i; ++j) price += scores[result[j]] - scores[result[i]];
        offer(cut - 1, i, price);
        break;
    }
    if (from == 0) return {};
    std::rotate(result.begin() + static_cast<std::ptrdiff_t>(to),
                result.begin() + static_cast<std::ptrdiff_t>(from),
                result.begin() + static_cast<std::ptrdiff_t>(from + 1));
    return result;
}

double Permutations::lost(std::size_t query, const Permutation& ranking) const {
    std::vector<double> places(ranking.size());
    const auto value = [&](const Permutation& order) {
        for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = -static_cast<double>(i);
        return measure_.of_scores(query, places);
    };
    const double ideal = value(worst_perfect(query, std::vector<double>(ranking.size(), 0)));
    return ideal - value(ranking);
}

double Permutations::score(const Permutation& ranking, std::span<const double> scores) {
    double sum = 0;
    double weight = first_weight(ranking.size());
    for (const std::uint32_t document : ranking) {
        sum += scores[document] * weight;
        weight -= 2;
    }
    return sum * unit(ranking.size());
}

PermutationLoss::PermutationLoss(const Permutations& permutations, bool nearest)
    : permutations_(permutations),
      nearest_(nearest),
      sets_(permutations.measure().set().queries.size()) {}

bool PermutationLoss::extend(std::span<const double> scores) {
    const TrainingSet& set = permutations_.measure().set();
    bool is_new = false;
    for (const std::size_t q : permutations_.measure().queries()) {
        const auto of_query = scores.subspan(set.query_begin[q], set.pool_size(q));
        const std::optional<Permutation> imperfect = permutations_.best_imperfect(q, of_query);
        if (!imperfect) continue;
        WorkingSets& sets = sets_[q];
        is_new |= add_new(sets.perfect, nearest_ ? permutations_.best_perfect(q, of_query)
                                                 : permutations_.worst_perfect(q, of_query));
        if (add_new(sets.imperfect, *imperfect)) {
            sets.lost.push_back(permutations_.lost(q, *imperfect));
            is_new = true;
        }
    }
    return is_new;
}

double PermutationLoss::of_query(std::size_t query, std::span<const double> scores,
                                 std::span<double> slopes) const {
    std::fill(slopes.begin(), slopes.end(), 0);
    const WorkingSets& sets = sets_[query];
    if (sets.perfect.empty()) return 0;
    const double weight = 1 / (static_cast<double>(sets.perfect.size()) *
                               static_cast<double>(permutations_.measure().queries().size()));
    std::vector<double> of_perfect;
    for (const Permutation& ranking : sets.perfect) {
        of_perfect.push_back(Permutations::score(ranking, scores));
    }
    std::vector<double> slopes_of_perfect(of_perfect.size(), 0);
    double loss = 0;
    for (std::size_t c = 0; c < sets.imperfect.size(); ++c) {  // (1)
        const double of_imperfect = Permutations::score(sets.imperfect[c], scores);
        double slope = 0;
        for (std::size_t b = 0; b < of_perfect.size(); ++b) {
            const double rest = 1 - (of_perfect[b] - of_imperfect);
            if (rest <= 0) continue;
            loss += sets.lost[c] * rest;
            slope += sets.lost[c];
            slopes_of_perfect[b] -= sets.lost[c];
        }
        if (slope > 0) add_slope(sets.imperfect[c], weight * slope, slopes);
    }
    for (std::size_t b = 0; b < of_perfect.size(); ++b) {
        if (slopes_of_perfect[b] < 0) {
            add_slope(sets.perfect[b], weight * slopes_of_perfect[b], slopes);
        }
    }
    return weight * loss;
}

}  // namespace braid
