// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/permutations.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "braid/error.h"

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
      sets_(permutations.measure().set().queries.size()) {
    rankings_.rankers = permutations.measure().set().rankers;
    rankings_.queries = permutations.measure().set().queries;
    rankings_.query_begin.assign(sets_.size() + 1, 0);
}

std::size_t PermutationLoss::perfect(std::size_t query) const {
    const std::vector<Member>& members = sets_[query];
    return static_cast<std::size_t>(std::count_if(members.begin(), members.end(),
                                                  [](const Member& m) { return m.is_perfect; }));
}

std::size_t PermutationLoss::imperfect(std::size_t query) const {
    return sets_[query].size() - perfect(query);
}

double PermutationLoss::first_gap() const {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t q = 0; q < sets_.size(); ++q) {
        if (sets_[q].empty()) continue;
        const std::size_t begin = rankings_.query_begin[q];
        // The first two members are a perfect ranking and an imperfect one.
        for (std::size_t k = 0; k < rankings_.width(); ++k) {
            const double apart = rankings_.row(begin)[k] - rankings_.row(begin + 1)[k];
            sum += apart * apart;
        }
        ++count;
    }
    return sum > 0 ? sum / static_cast<double>(count) : 1;
}

bool PermutationLoss::add(std::size_t query, Permutation ranking, bool is_perfect) {
    std::vector<Member>& members = sets_[query];
    const bool is_there = std::any_of(members.begin(), members.end(), [&](const Member& member) {
        return member.is_perfect == is_perfect && member.ranking == ranking;
    });
    if (is_there) return false;
    const double lost = is_perfect ? 0 : permutations_.lost(query, ranking);
    members.push_back({std::move(ranking), lost, is_perfect});
    return true;
}

bool PermutationLoss::extend(std::span<const double> scores) {
    const TrainingSet& set = permutations_.measure().set();
    bool is_new = false;
    for (const std::size_t q : permutations_.measure().queries()) {
        const auto of_query = scores.subspan(set.query_begin[q], set.pool_size(q));
        std::optional<Permutation> imperfect = permutations_.best_imperfect(q, of_query);
        if (!imperfect) continue;
        is_new |= add(q,
                      nearest_ ? permutations_.best_perfect(q, of_query)
                               : permutations_.worst_perfect(q, of_query),
                      true);
        is_new |= add(q, std::move(*imperfect), false);
    }
    if (is_new) add_rows();
    return is_new;
}

// Rows that there were are kept; those of new members come behind them.
void PermutationLoss::add_rows() {
    const TrainingSet& set = permutations_.measure().set();
    const std::size_t width = set.width();
    TrainingSet next;
    next.rankers = std::move(rankings_.rankers);
    next.queries = std::move(rankings_.queries);
    for (std::size_t q = 0; q < sets_.size(); ++q) {
        const std::size_t begin = rankings_.query_begin[q];
        const std::size_t known = rankings_.query_begin[q + 1] - begin;
        const auto old = rankings_.scores.begin() + static_cast<std::ptrdiff_t>(begin * width);
        next.scores.insert(next.scores.end(), old,
                           old + static_cast<std::ptrdiff_t>(known * width));
        for (std::size_t i = known; i < sets_[q].size(); ++i) {
            const Permutation& ranking = sets_[q][i].ranking;
            next.scores.resize(next.scores.size() + width, 0);
            double* row = next.scores.data() + next.scores.size() - width;
            double weight = first_weight(ranking.size());
            for (const std::uint32_t document : ranking) {
                const std::span<const double> x = set.row(set.query_begin[q] + document);
                for (std::size_t k = 0; k < width; ++k) row[k] += weight * x[k];
                weight -= 2;
            }
            for (std::size_t k = 0; k < width; ++k) row[k] *= unit(ranking.size());
        }
        next.query_begin.push_back(next.scores.size() / width);
    }
    next.grades.assign(next.query_begin.back(), 0);
    rankings_ = std::move(next);
}

double PermutationLoss::of_query(std::size_t query, std::span<const double> scores,
                                 std::span<double> slopes) const {
    std::fill(slopes.begin(), slopes.end(), 0);
    const std::vector<Member>& members = sets_[query];
    std::vector<std::size_t> perfect;
    std::vector<std::size_t> imperfect;
    for (std::size_t i = 0; i < members.size(); ++i) {
        (members[i].is_perfect ? perfect : imperfect).push_back(i);
    }
    if (perfect.empty()) return 0;
    const auto by_score = [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; };
    std::sort(perfect.begin(), perfect.end(), by_score);
    std::sort(imperfect.begin(), imperfect.end(), by_score);
    const double weight = 1 / (static_cast<double>(perfect.size()) *
                               static_cast<double>(permutations_.measure().queries().size()));
    // (1): in ascending order, so that the perfect ones too close to an imperfect one are the first
    // `close` of them, and more of them for the next.
    double lost_in_all = 0;
    for (const std::size_t c : imperfect) lost_in_all += members[c].lost;
    double loss = 0;
    double sum = 0;
    std::size_t close = 0;
    for (const std::size_t c : imperfect) {
        for (; close < perfect.size() && scores[perfect[close]] < 1 + scores[c]; ++close) {
            sum += scores[perfect[close]];
            slopes[perfect[close]] = -weight * lost_in_all;
        }
        const auto count = static_cast<double>(close);
        loss += members[c].lost * (count * (1 + scores[c]) - sum);
        slopes[c] = weight * members[c].lost * count;
        lost_in_all -= members[c].lost;
    }
    return weight * std::max(loss, 0.0);
}

}  // namespace braid
