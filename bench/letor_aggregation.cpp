// SPDX-License-Identifier: GPL-2.0-or-later
//
// Learners and fusion on LETOR 4.0's rank aggregation data (MQ2008-agg), beside a paper's figures.
//
//     letor_aggregation FOLDER [METHOD...]
//
// FOLDER has Fold1 .. Fold5; their test files together are all queries. A value is a position in
// one of 25 lists; it becomes 10 / (position + 10), 0 where the list lacks the document. Queries
// are shuffled by one of five seeds and cut in two halves: one to learn from, the other to measure.
// Grade 2 is relevant; queries without one are left out of the means. "printed" divides NDCG@5 by
// the ideal over all relevant documents, as the paper's formula does; "ideal" by the one over the
// first five. Recall@5 divides by min(5, relevant). Learners learn from all grades, and choose by
// NDCG@5 where they choose. "p" is the paired t test of "ideal" against wel, queries of all
// seeds' test halves averaged.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <fmt/format.h>

#include "braid/core/fusion/fusion.h"
#include "braid/core/learners/data/list_statistics.h"
#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/learner.h"
#include "braid/core/statistics/paired_tests.h"
#include "braid/indexer/formats/letor_reader.h"

namespace {

using braid::ChoiceMap;
using braid::Grade;
using braid::ParameterMap;
using braid::TrainingSet;

constexpr std::size_t kSeeds = 5;
constexpr std::size_t kDeep = 5;
constexpr Grade kRelevant = 2;

struct Method {
    std::string name;
    std::string learner;  // "": fusion
    double paper_ndcg = 0;
    double paper_recall = 0;
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    std::string fusion = {};
};

std::vector<Method> methods() {
    return {
        {"combsum", "", .5399, .6880, {}, {}, "combsum"},
        {"combanz", "", .2601, .4417, {}, {}, "combanz"},
        {"combmnz", "", .5367, .6934, {}, {}, "combmnz"},
        {"borda", "", .5430, .6947, {}, {}, "borda"},
        {"borda-none", "", 0, 0, {}, {{"missing", "none"}}, "borda"},
        {"rrf", "", 0, 0, {}, {}, "rrf"},
        {"amanx", "", 0, 0, {}, {}, "amanx"},
        {"uniform", "uniform"},
        {"wep", "wep", .5519, .6997},
        {"wel", "wel", .5537, .7022},
        {"welv", "welv", .5529, .7007},
        {"awel", "awel", .5924, .7471},
        {"awelv", "awelv", .5939, .7518},
        {"awel-always", "awel", .5924, .7471, {{"folds", 0}}},
        {"awelv-always", "awelv", .5939, .7518, {{"folds", 0}}},
        {"ser", "ser", .5389, .6876},
        {"convexds", "convexds", .5454, .6983},
        {"aem", "aem", .5763, .7289},
        {"bagging-reg", "bagging-reg", .5482, .7172},
        {"adaboost-reg", "adaboost-reg", .5303, .6833},
    };
}

// All queries, with positions, NaN where a list lacks the document.
TrainingSet read_all(const std::string& folder) {
    TrainingSet set;
    set.query_begin = {};
    for (int fold = 1; fold <= 5; ++fold) {
        braid::LetorData data =
            braid::read_letor(fmt::format("{}/Fold{}/test.txt.gz", folder, fold));
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

struct Values {
    double printed = 0;
    double ideal = 0;
    double recall = 0;
};

// Of one query's scores; ties go to the document whose name is greater, as trec_eval's do.
Values values_of(const TrainingSet& set, std::size_t query, const std::vector<double>& scores) {
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

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

struct Figures {
    Values mean;
    std::map<std::string, std::pair<double, double>> by_query;  // Sum of "ideal", and how often.
    std::size_t adaptive = 0;
    double seconds = 0;
};

class Comparison {
  public:
    explicit Comparison(TrainingSet lists) : lists_(std::move(lists)), filled_(lists_) {
        for (double& score : filled_.scores) score = std::isnan(score) ? 0 : score;
        braid::add_list_statistics(filled_);
    }

    Figures run(const Method& method) const {
        Figures figures;
        for (std::size_t seed = 0; seed < kSeeds; ++seed) {
            std::vector<std::size_t> order(lists_.queries.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            braid::Random(2008, seed).shuffle(order);
            const std::span<const std::size_t> all(order);
            const TrainingSet train = braid::subset(filled_, all.first(order.size() / 2));
            const std::span<const std::size_t> rest = all.subspan(order.size() / 2);
            if (method.learner.empty()) {
                measure(braid::subset(lists_, rest), fuse(method), figures);
            } else {
                measure(braid::subset(filled_, rest), learn(method, train, seed, figures), figures);
            }
        }
        return figures;
    }

  private:
    using Scorer = std::function<std::vector<double>(const TrainingSet&, std::size_t)>;

    Scorer fuse(const Method& method) const {
        const bool is_sum = method.fusion.starts_with("comb") || method.fusion == "amanx";
        const braid::Fuser fuser({.method = method.fusion,
                                  .parameters = method.parameters,
                                  .choices = method.choices,
                                  .normaliser = is_sum ? "none" : ""});
        return [fuser](const TrainingSet& set, std::size_t query) {
            return fuser.fuse({set.width(), set.query_scores(query)});
        };
    }

    Scorer learn(const Method& method, const TrainingSet& train, std::size_t seed,
                 Figures& figures) const {
        braid::LearnerOptions options{.seed = braid::kDefaultSeed + seed,
                                      .measure = "ndcg@5",
                                      .judging = {.relevant_from = kRelevant},
                                      .parameters = method.parameters,
                                      .choices = method.choices};
        const double before = processor_seconds();
        const auto executor = braid::make_executor(1);
        const braid::RankingFunction function =
            braid::fit_learner(method.learner, train, options, *executor).function;
        figures.seconds += (processor_seconds() - before) / kSeeds;
        if (std::holds_alternative<braid::AttentionFunction>(function)) ++figures.adaptive;
        return [function](const TrainingSet& set, std::size_t query) {
            std::vector<double> scores(set.pool_size(query));
            braid::score_pool(function, set, query, scores);
            return scores;
        };
    }

    static void measure(const TrainingSet& test, const Scorer& scorer, Figures& figures) {
        Values sum;
        double count = 0;
        for (std::size_t q = 0; q < test.queries.size(); ++q) {
            const std::span<const Grade> grades = test.query_grades(q);
            if (std::none_of(grades.begin(), grades.end(),
                             [](Grade g) { return g >= kRelevant; })) {
                continue;
            }
            const Values values = values_of(test, q, scorer(test, q));
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

    TrainingSet lists_;
    TrainingSet filled_;
};

std::vector<double> means_of(const Figures& figures) {
    std::vector<double> means;
    for (const auto& [query, own] : figures.by_query) means.push_back(own.first / own.second);
    return means;
}

std::string or_blank(double value) { return value > 0 ? fmt::format("{:.4f}", value) : ""; }

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "letor_aggregation FOLDER [METHOD...]\n");
        return 2;
    }
    const Comparison comparison(read_all(argv[1]));
    const std::vector<double> baseline = means_of(comparison.run({"wel", "wel"}));
    fmt::print("{:<14} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "", "ideal",
               "printed", "recall", "paper", "recall", "adaptive", "p", "gain", "s");
    for (const Method& method : methods()) {
        bool is_asked = argc == 2;
        for (int i = 2; i < argc; ++i) is_asked = is_asked || method.name == argv[i];
        if (!is_asked) continue;
        if (!method.learner.empty() && !braid::learners().contains(method.learner)) continue;
        const Figures figures = comparison.run(method);
        std::vector<double> gains = means_of(figures);
        double gain = 0;
        for (std::size_t i = 0; i < gains.size(); ++i) {
            gains[i] -= baseline[i];
            gain += gains[i] / static_cast<double>(gains.size());
        }
        fmt::print(
            "{:<14} {:>8.4f} {:>8.4f} {:>8.4f} {:>8} {:>8} {:>8} {:>8.4f} {:>+8.4f} {:>8.2f}\n",
            method.name, figures.mean.ideal, figures.mean.printed, figures.mean.recall,
            or_blank(method.paper_ndcg), or_blank(method.paper_recall),
            figures.adaptive > 0 ? fmt::format("{}/{}", figures.adaptive, kSeeds) : "",
            braid::paired_t_test(gains).p, gain, figures.seconds);
        std::fflush(stdout);
    }
}
