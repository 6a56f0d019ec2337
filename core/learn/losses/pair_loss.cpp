// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/pair_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "braid/error.h"

// Equations are those of docs/algorithms/ranksvm.md.

namespace braid {
namespace {

struct Ranked {
    double score;
    std::uint32_t document;
    std::uint16_t level;
};

// Sums over the documents of one grade that a sweep has passed.
struct Passed {
    double count = 0;
    double sum = 0;
    double squares = 0;
};

}  // namespace

// One sweep: the documents passed so far, by grade.
struct PairLoss::Side {
    explicit Side(std::size_t levels) : passed(levels) {}

    void pass(const Ranked& document, bool squared) {
        Passed& to = passed[document.level];
        ++to.count;
        to.sum += document.score;
        if (squared) to.squares += document.score * document.score;
    }

    std::vector<Passed> passed;
};

PairLoss::PairLoss(const TrainingSet& set, const PairLossOptions& options)
    : set_(set), squared_(options.squared) {
    find_levels();
    for (std::size_t a = 0; a < grades_.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) cost_at(a, b) = 1;
    }
    count_pairs();
    if (options.costs == PairLossOptions::Costs::kQueriesAndGrades) weigh_grades();
    weigh_queries(options.costs);
}

PairLoss::PairLoss(const TrainingSet& set, const PairLossOptions& options, Grade better,
                   Grade worse)
    : set_(set), squared_(options.squared) {
    find_levels();
    cost_at(level_of(better), level_of(worse)) = 1;
    count_pairs();
    weigh_queries(options.costs);
}

void PairLoss::find_levels() {
    std::set<Grade> grades;
    for (const Grade grade : set_.grades) grades.insert(learning_grade(grade));
    if (grades.size() > std::numeric_limits<std::uint16_t>::max()) {
        throw InvalidArgument(fmt::format("{} different grades, expected at most {}", grades.size(),
                                          std::numeric_limits<std::uint16_t>::max()));
    }
    grades_.assign(grades.begin(), grades.end());
    for (const Grade grade : set_.grades) {
        levels_.push_back(static_cast<std::uint16_t>(level_of(learning_grade(grade))));
    }
    costs_.assign(grades_.size() * grades_.size(), 0);
}

std::size_t PairLoss::level_of(Grade grade) const {
    return static_cast<std::size_t>(std::lower_bound(grades_.begin(), grades_.end(), grade) -
                                    grades_.begin());
}

double PairLoss::cost(Grade better, Grade worse) const {
    return cost_at(level_of(better), level_of(worse));
}

std::vector<std::size_t> PairLoss::counts(std::size_t query) const {
    std::vector<std::size_t> result(grades_.size(), 0);
    for (std::size_t i = set_.query_begin[query]; i < set_.query_begin[query + 1]; ++i) {
        ++result[levels_[i]];
    }
    return result;
}

void PairLoss::count_pairs() {
    for (std::size_t q = 0; q < set_.queries.size(); ++q) {
        const std::vector<std::size_t> of_level = counts(q);
        std::size_t pairs = 0;
        for (std::size_t a = 0; a < grades_.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                if (cost_at(a, b) > 0) pairs += of_level[a] * of_level[b];
            }
        }
        pairs_.push_back(pairs);
    }
}

// (4): only a query's best grade a, of which the first document is one, has a part in ndcg@1.
void PairLoss::weigh_grades() {
    std::vector<double> drops(costs_.size(), 0);
    std::vector<double> queries(costs_.size(), 0);
    for (std::size_t q = 0; q < set_.queries.size(); ++q) {
        const std::vector<std::size_t> of_level = counts(q);
        std::size_t top = grades_.size();
        while (top > 0 && of_level[top - 1] == 0) --top;
        for (std::size_t a = 0; a < top; ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                if (of_level[a] == 0 || of_level[b] == 0) continue;
                const std::size_t at = a * grades_.size() + b;
                ++queries[at];
                if (a + 1 != top) continue;
                const double best = std::exp2(grades_[a]) - 1;
                const double other = std::exp2(grades_[b]) - 1;
                drops[at] += (best - other) / best / static_cast<double>(of_level[a]);
            }
        }
    }
    double largest = 0;
    for (std::size_t i = 0; i < drops.size(); ++i) {
        if (queries[i] > 0) drops[i] /= queries[i];
        largest = std::max(largest, drops[i]);
    }
    for (std::size_t i = 0; i < drops.size(); ++i) {
        if (costs_[i] > 0 && largest > 0) costs_[i] = drops[i] / largest;
    }
}

void PairLoss::weigh_queries(PairLossOptions::Costs costs) {  // (3)
    double pairs = 0;
    double queries = 0;
    for (const std::size_t of_query : pairs_) {
        pairs += static_cast<double>(of_query);
        queries += of_query > 0 ? 1 : 0;
    }
    for (const std::size_t of_query : pairs_) {
        if (of_query == 0) {
            query_weights_.push_back(0);
        } else if (costs == PairLossOptions::Costs::kEven) {
            query_weights_.push_back(1 / pairs);
        } else {
            query_weights_.push_back(1 / (queries * static_cast<double>(of_query)));
        }
    }
}

double PairLoss::of_query(std::size_t query, std::span<const double> scores,
                          std::span<double> slopes) const {
    std::fill(slopes.begin(), slopes.end(), 0);
    const double weight = query_weights_[query];
    if (weight == 0) return 0;
    const std::size_t begin = set_.query_begin[query];
    std::vector<Ranked> ranked(scores.size());
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        ranked[i] = {scores[i], static_cast<std::uint32_t>(i), levels_[begin + i]};
    }
    std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
        return a.score != b.score ? a.score > b.score : a.document < b.document;
    });
    // The same expression decides on both sides, so that they agree on every pair.
    const auto is_short = [](const Ranked& better, const Ranked& worse) {
        return better.score - worse.score < 1;
    };
    double loss = 0;
    Side worse(grades_.size());
    std::size_t next = 0;
    for (const Ranked& better : ranked) {  // (5)
        for (; next < ranked.size() && is_short(better, ranked[next]); ++next) {
            worse.pass(ranked[next], squared_);
        }
        double slope = 0;
        const double rest = 1 - better.score;
        for (std::size_t level = 0; level < better.level; ++level) {
            const double cost = cost_at(better.level, level);
            const Passed& passed = worse.passed[level];
            const double sum = passed.count * rest + passed.sum;
            slope -= cost * (squared_ ? 2 * sum : passed.count);
            loss += cost * (squared_ ? rest * (sum + passed.sum) + passed.squares : sum);
        }
        slopes[better.document] += weight * slope;
    }
    Side better(grades_.size());
    next = ranked.size();
    for (std::size_t i = ranked.size(); i-- > 0;) {  // (6)
        for (; next > 0 && is_short(ranked[next - 1], ranked[i]); --next) {
            better.pass(ranked[next - 1], false);
        }
        double slope = 0;
        for (std::size_t level = ranked[i].level + 1U; level < grades_.size(); ++level) {
            const Passed& passed = better.passed[level];
            const double sum = passed.count * (1 + ranked[i].score) - passed.sum;
            slope += cost_at(level, ranked[i].level) * (squared_ ? 2 * sum : passed.count);
        }
        slopes[ranked[i].document] += weight * slope;
    }
    return weight * std::max(loss, 0.0);
}

std::vector<std::pair<Grade, Grade>> grade_pairs(const TrainingSet& set) {
    std::set<std::pair<Grade, Grade>, std::greater<>> found;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        std::set<Grade> grades;
        for (const Grade grade : set.query_grades(q)) grades.insert(learning_grade(grade));
        for (const Grade better : grades) {
            for (const Grade worse : grades) {
                if (better > worse) found.insert({better, worse});
            }
        }
    }
    return {found.begin(), found.end()};
}

}  // namespace braid
