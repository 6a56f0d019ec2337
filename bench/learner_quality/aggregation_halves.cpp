// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/aggregation_halves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "braid/bench/common/timing.h"
#include "braid/core/base/random.h"
#include "braid/core/learn/learner.h"
#include "braid/core/model/fusion.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/indexer/formats/letor_reader.h"

namespace braid::bench {
namespace {

constexpr std::size_t kDeep = 5;
constexpr Grade kRelevant = 2;

// All queries, with positions, NaN where a list lacks the document.
TrainingSet read_all(const std::string& folder) {
    TrainingSet set;
    set.query_begin = {};
    for (int fold = 1; fold <= 5; ++fold) {
        LetorData data = read_letor(fmt::format("{}/Fold{}/test.txt.gz", folder, fold));
        for (std::size_t k = set.rankers.size(); k < data.features; ++k) {
            set.rankers.push_back(fmt::format("list{}", k + 1));
        }
        const std::size_t rows = set.grades.size();
        set.queries.insert(set.queries.end(), data.queries.begin(), data.queries.end());
        for (std::size_t q = 0; q < data.queries.size(); ++q) {
            set.query_begin.push_back(rows + data.query_offsets[q]);
        }
        set.scores.insert(set.scores.end(), data.values.begin(), data.values.end());
        set.grades.insert(set.grades.end(), data.labels.begin(), data.labels.end());
        set.documents.insert(set.documents.end(), data.documents.begin(), data.documents.end());
    }
    set.query_begin.push_back(set.grades.size());
    for (double& score : set.scores) score = 10 / (score + 10);
    return set;
}

// Of one query's scores; ties go to the document whose name is greater, as trec_eval's do.
AggregationValues values_of(const TrainingSet& set, std::size_t query,
                            const std::vector<double>& scores) {
    const std::span<const Grade> grades = set.query_grades(query);
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t first = set.query_begin[query];
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (scores[a] != scores[b]) return scores[a] > scores[b];
        return set.documents[first + a] > set.documents[first + b];
    });
    const auto relevant = static_cast<std::size_t>(
        std::count_if(grades.begin(), grades.end(), [](Grade g) { return g >= kRelevant; }));
    double gain = 0;
    double hits = 0;
    double all = 0;
    double some = 0;
    for (std::size_t i = 0; i < std::max(relevant, kDeep); ++i) {
        const double discount = 1 / std::log2(static_cast<double>(i + 2));
        if (i < relevant) all += discount;
        if (i < std::min(relevant, kDeep)) some += discount;
        if (i >= kDeep || i >= order.size() || grades[order[i]] < kRelevant) continue;
        gain += discount;
        ++hits;
    }
    return {gain / all, gain / some, hits / static_cast<double>(std::min(relevant, kDeep))};
}

}  // namespace

AggregationHalves::AggregationHalves(const std::string& folder)
    : lists_(read_all(folder)), filled_(lists_) {
    for (double& score : filled_.scores) score = std::isnan(score) ? 0 : score;
    add_list_statistics(filled_);
}

AggregationFigures AggregationHalves::run(const AggregationMethod& method) const {
    AggregationFigures figures;
    for (std::size_t seed = 0; seed < kSeeds; ++seed) {
        std::vector<std::size_t> order(lists_.queries.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        Random(2008, seed).shuffle(order);
        const std::span<const std::size_t> all(order);
        const TrainingSet train = subset(filled_, all.first(order.size() / 2));
        const std::span<const std::size_t> rest = all.subspan(order.size() / 2);
        if (method.learner.empty()) {
            measure(subset(lists_, rest), fuse(method), figures);
        } else {
            measure(subset(filled_, rest), learn(method, train, seed, figures), figures);
        }
    }
    return figures;
}

AggregationHalves::Scorer AggregationHalves::fuse(const AggregationMethod& method) {
    const bool is_sum = method.fusion.starts_with("comb") || method.fusion == "amanx";
    const Fuser fuser({.method = method.fusion,
                       .parameters = method.parameters,
                       .choices = method.choices,
                       .normaliser = is_sum ? "none" : ""});
    return [fuser](const TrainingSet& set, std::size_t query) {
        return fuser.fuse({set.width(), set.query_scores(query)});
    };
}

AggregationHalves::Scorer AggregationHalves::learn(const AggregationMethod& method,
                                                   const TrainingSet& train, std::size_t seed,
                                                   AggregationFigures& figures) {
    LearnerOptions options{.seed = kDefaultSeed + seed,
                           .measure = "ndcg@5",
                           .judging = {.relevant_from = kRelevant},
                           .parameters = method.parameters,
                           .choices = method.choices};
    const double before = processor_seconds();
    const auto executor = make_executor(1);
    const RankingFunction function =
        fit_learner(method.learner, train, options, *executor).function;
    figures.seconds += (processor_seconds() - before) / kSeeds;
    if (std::holds_alternative<AttentionFunction>(function)) ++figures.adaptive;
    return [function](const TrainingSet& set, std::size_t query) {
        std::vector<double> scores(set.pool_size(query));
        score_pool(function, set, query, scores);
        return scores;
    };
}

void AggregationHalves::measure(const TrainingSet& test, const Scorer& scorer,
                                AggregationFigures& figures) {
    AggregationValues sum;
    double count = 0;
    for (std::size_t q = 0; q < test.queries.size(); ++q) {
        const std::span<const Grade> grades = test.query_grades(q);
        if (std::none_of(grades.begin(), grades.end(), [](Grade g) { return g >= kRelevant; })) {
            continue;
        }
        const AggregationValues values = values_of(test, q, scorer(test, q));
        sum.printed += values.printed;
        sum.ideal += values.ideal;
        sum.recall += values.recall;
        auto& own = figures.by_query[test.queries[q]];
        own.first += values.ideal;
        ++own.second;
        ++count;
    }
    figures.mean.printed += sum.printed / count / kSeeds;
    figures.mean.ideal += sum.ideal / count / kSeeds;
    figures.mean.recall += sum.recall / count / kSeeds;
}

}  // namespace braid::bench
