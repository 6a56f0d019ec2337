// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/letor_folds.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/bench/common/program.h"
#include "braid/core/learn/training_measure.h"
#include "braid/indexer/formats/letor_reader.h"

namespace braid::bench {
namespace {

const std::vector<double> kStrengths = {1, 10, 100, 1000, 1e4, 1e5};

Method ranksvm(const std::string& name, const ChoiceMap& choices) {
    return {name, "ranksvm", "map", choices, {}, "c", kStrengths};
}

Method rankboost(const std::string& name, const std::string& costs) {
    return {name,
            "rankboost",
            "map",
            {{"costs", costs}, {"steps", "exact"}},
            {{"rounds", 500}},
            "thresholds",
            {0, 5, 10, 30}};
}

std::vector<Method> pairwise_methods() {
    return {ranksvm("ranksvm", {{"loss", "squared"}}),
            ranksvm("ranksvm-hinge", {{"loss", "hinge"}}),
            ranksvm("ranksvm-even", {{"loss", "hinge"}, {"costs", "even"}}),
            ranksvm("ranksvm-cao", {{"loss", "hinge"}, {"costs", "queries-and-grades"}}),
            rankboost("rankboost", "even"),
            rankboost("rankboost-q", "queries"),
            {"rankboost-edge",
             "rankboost",
             "map",
             {{"steps", "edge"}},
             {{"thresholds", 10}},
             "rounds",
             {10, 20, 50, 100, 200, 500}}};
}

std::vector<Method> all_methods() {
    const std::vector<double> tolerances = {4e-3, 2e-3, 1e-3, 0, -1};
    std::vector<Method> all = {
        {"uniform", "uniform", "map"},
        {"ser", "ser", "map"},
        {"ser-paper", "ser", "map", {{"pairs", "best"}, {"ties", "none"}}},
        {"sser", "sser", "map", {}, {}, "gamma", {0, 0.05, 0.1, 0.2, 0.5, 1, 2}},
        {"sser-half", "sser", "map"},
        {"wel", "wel", "map"},
        {"adarank-map", "adarank", "map", {}, {}, "tolerance", tolerances},
        {"adarank-ndcg", "adarank", "ndcg-letor", {}, {}, "tolerance", tolerances},
        {"svm-map", "svm-map", "map", {}, {}, "c", kStrengths},
        {"svm-ndcg", "svm-ndcg", "map", {}, {}, "c", kStrengths},
        {"permurank-map", "permurank", "map", {}, {}, "c", {0.2, 0.5, 1, 2, 5, 20}},
        {"permurank-ndcg", "permurank", "ndcg-exp", {}, {}, "c", {0.2, 0.5, 1, 2, 5, 20}},
        {"permurank-paper",
         "permurank",
         "map",
         {{"perfect", "furthest"}},
         {},
         "c",
         {0.2, 0.5, 1, 2, 5, 20}},
        {"coordinate",
         "coordinate",
         "map",
         {},
         {{"restarts", 0}},
         "tolerance",
         {1e-2, 3e-3, 1e-3, 1e-4, 1e-5}},
        {"genm-bat", "genm-bat", "map", {}, {}, "beta", {3, 10, 30, 100, 200}},
        {"mhr-bc", "mhr-bc", "map", {}, {}, "c", kStrengths},
        {"listnet", "listnet", "map", {}, {}, "c", kStrengths},
        {"listmle", "listmle", "map", {}, {}, "c", kStrengths},
    };
    const std::vector<Method> pairwise = pairwise_methods();
    all.insert(all.end(), pairwise.begin(), pairwise.end());
    return all;
}

}  // namespace

TrainingSet read_letor_set(const std::string& path) {
    LetorData data = read_letor(path);
    TrainingSet set;
    for (std::size_t k = 1; k <= data.features; ++k) set.rankers.push_back(fmt::format("f{}", k));
    set.queries = std::move(data.queries);
    set.query_begin = std::move(data.query_offsets);
    set.scores = std::move(data.values);
    for (const int label : data.labels) set.grades.push_back(label);
    return set;
}

std::vector<Method> letor_methods(const std::vector<std::string>& names) {
    return asked_of(all_methods(), names, &Method::name);
}

std::vector<Fold> read_folds(const std::string& folder) {
    std::vector<Fold> folds;
    for (std::size_t f = 1; f <= kFolds; ++f) {
        const std::string fold = fmt::format("{}/Fold{}/", folder, f);
        folds.push_back({read_letor_set(fold + "train.txt.gz"),
                         read_letor_set(fold + "vali.txt.gz"),
                         read_letor_set(fold + "test.txt.gz")});
    }
    return folds;
}

std::size_t settings_of(const Method& method) {
    return std::max<std::size_t>(1, method.grid.size());
}

LearnerOptions options_of(const Method& method, std::size_t setting) {
    LearnerOptions options{
        .measure = method.measure, .parameters = method.parameters, .choices = method.choices};
    if (!method.grid.empty()) options.parameters[method.tuned] = method.grid[setting];
    return options;
}

double mean_of_all(const TrainingSet& set, const std::string& measure,
                   const RankingFunction& function) {
    const TrainingMeasure judged(set, measure);
    return judged.mean(function) * static_cast<double>(judged.queries().size()) /
           static_cast<double>(set.queries.size());
}

}  // namespace braid::bench
