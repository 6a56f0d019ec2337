// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/ranking_loss.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

// Equations are those of docs/algorithms/svm-map.md.

namespace braid {
namespace {

const char* measure_of(RankingLoss::Aim aim) {
    if (aim == RankingLoss::Aim::kAveragePrecision) return "map";
    return aim == RankingLoss::Aim::kLinearGain ? "ndcg" : "ndcg-exp";
}

}  // namespace

// The two classes in descending order of score, and which documents they are.
struct RankingLoss::Split {
    std::vector<double> relevant;
    std::vector<double> irrelevant;
    std::vector<std::uint32_t> relevant_documents;
    std::vector<std::uint32_t> irrelevant_documents;
};

RankingLoss::RankingLoss(const TrainingSet& set, Aim aim, Grade relevant_from)
    : set_(set), aim_(aim) {
    const TrainingMeasure measure(set, measure_of(aim), {.relevant_from = relevant_from});
    std::size_t longest = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        longest = std::max(longest, set.pool_size(q));
        queries_.push_back({thresholds_of(q, relevant_from), measure.scale(q)});
        if (!queries_.back().thresholds.empty()) ++query_weight_;
    }
    if (query_weight_ > 0) query_weight_ = 1 / query_weight_;
    for (std::size_t i = 0; i < longest; ++i) {
        discounts_.push_back(1 / std::log2(static_cast<double>(i) + 2));
    }
    for (Query& query : queries_) {  // (9)
        for (Threshold& threshold : query.thresholds) {
            if (aim == Aim::kAveragePrecision) continue;
            double ideal = 0;
            const auto above = static_cast<std::size_t>(threshold.share);
            for (std::size_t i = 0; i < above; ++i) ideal += discounts_[i];
            threshold.share = threshold.gain * ideal / query.scale;
        }
    }
}

double RankingLoss::gain(Grade grade) const {
    if (grade <= 0) return 0;
    return aim_ == Aim::kLinearGain ? static_cast<double>(grade) : std::exp2(grade) - 1;
}

// `share` is the number of documents at or above the threshold for now.
std::vector<RankingLoss::Threshold> RankingLoss::thresholds_of(std::size_t query,
                                                               Grade relevant_from) const {
    const std::span<const Grade> grades = set_.query_grades(query);
    std::set<Grade> levels;
    for (const Grade grade : grades) levels.insert(std::max(grade, Grade{0}));
    if (aim_ == Aim::kAveragePrecision) {
        if (!is_useful(set_, query, relevant_from)) return {};
        return {{relevant_from, 1, 1}};
    }
    std::vector<Threshold> result;
    for (auto level = levels.begin(); level != levels.end(); ++level) {
        if (level == levels.begin()) continue;
        const auto above =
            std::count_if(grades.begin(), grades.end(), [&](Grade g) { return g >= *level; });
        result.push_back(
            {*level, gain(*level) - gain(*std::prev(level)), static_cast<double>(above)});
    }
    return result;
}

double RankingLoss::of_query(std::size_t query, std::span<const double> scores,
                             std::span<double> slopes) const {
    std::fill(slopes.begin(), slopes.end(), 0);
    const Query& known = queries_[query];
    if (known.thresholds.empty()) return 0;
    std::vector<std::pair<double, std::uint32_t>> ranked(scores.size());
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        ranked[i] = {-scores[i], static_cast<std::uint32_t>(i)};
    }
    std::sort(ranked.begin(), ranked.end());
    const std::span<const Grade> grades = set_.query_grades(query);
    double loss = 0;
    for (const Threshold& threshold : known.thresholds) {
        Split split;
        for (const auto& [negative, document] : ranked) {
            const bool is_relevant = grades[document] >= threshold.from;
            (is_relevant ? split.relevant : split.irrelevant).push_back(-negative);
            (is_relevant ? split.relevant_documents : split.irrelevant_documents)
                .push_back(document);
        }
        loss += of_threshold(known, threshold, split, slopes);
    }
    for (double& slope : slopes) slope *= query_weight_;
    return query_weight_ * loss;
}

// What the k-th relevant document has lost with so many irrelevant ones before it: (1), (8).
double RankingLoss::lost(const Query& query, const Threshold& threshold, std::size_t before,
                         std::size_t k) const {
    if (aim_ == Aim::kAveragePrecision) {
        return static_cast<double>(before) / static_cast<double>(k + before) / query.scale;
    }
    return threshold.gain * (discounts_[k - 1] - discounts_[k + before - 1]) / query.scale;
}

double RankingLoss::of_threshold(const Query& query, const Threshold& threshold, const Split& split,
                                 std::span<double> slopes) const {
    const std::size_t relevant = split.relevant.size();
    const std::size_t irrelevant = split.irrelevant.size();
    const double per_pair = 2 * threshold.share / static_cast<double>(relevant * irrelevant);
    std::vector<std::uint32_t> preceding(irrelevant);
    if (aim_ == Aim::kAveragePrecision) {
        const auto lost_next = [&](std::size_t k, std::size_t j) {
            const auto place = static_cast<double>(k + j);
            return static_cast<double>(k) / ((place - 1) * place) / query.scale;
        };
        most_violated(split.relevant, split.irrelevant, lost_next, per_pair, preceding);
    } else {
        const double unit = threshold.gain / query.scale;
        const auto lost_next = [&](std::size_t k, std::size_t j) {
            return unit * (discounts_[k + j - 2] - discounts_[k + j - 1]);
        };
        most_violated(split.relevant, split.irrelevant, lost_next, per_pair, preceding);
    }
    double loss = 0;
    std::size_t before = 0;
    for (std::size_t k = 1; k <= relevant; ++k) {
        while (before < irrelevant && preceding[before] < k) ++before;
        loss += lost(query, threshold, before, k);
        const double slope = per_pair * static_cast<double>(before);
        slopes[split.relevant_documents[k - 1]] -= slope;
        loss -= slope * split.relevant[k - 1];
    }
    for (std::size_t j = 0; j < irrelevant; ++j) {
        const double slope = per_pair * static_cast<double>(relevant - preceding[j]);
        slopes[split.irrelevant_documents[j]] += slope;
        loss += slope * split.irrelevant[j];
    }
    return std::max(loss, 0.0);
}

}  // namespace braid
