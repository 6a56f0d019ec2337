// SPDX-License-Identifier: GPL-2.0-or-later
//
// Learners on a LETOR collection in five folds, by the protocol of its published baselines.
//
//     letor_learners FOLDER [METHOD...]
//
// FOLDER has Fold1 .. Fold5 with train, vali and test.txt.gz. For each fold a method is fitted with
// every setting of its small grid, the validation queries choose the setting (and, of the
// weights a fit passes through, the best), and the test queries are scored once. Figures are means
// over folds of means over a fold's queries, those without a relevant document count 0. Grades
// from 1 up are relevant. "letor" columns are LETOR's own NDCG, where a list shorter than k
// counts 0. Seconds are of the processor, for all folds and settings together, and for one fit
// on one thread with the setting chosen in fold 1.
#include <cstdio>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <fmt/format.h>

#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/learner.h"
#include "braid/indexer/formats/letor_reader.h"

namespace {

using braid::ChoiceMap;
using braid::LearnerOptions;
using braid::ParameterMap;
using braid::RankingFunction;
using braid::TrainingMeasure;
using braid::TrainingSet;

constexpr std::size_t kFolds = 5;

struct Method {
    std::string name;
    std::string learner;
    std::string measure;
    ChoiceMap choices = {};
    ParameterMap parameters = {};
    std::string tuned = {};  // A parameter that takes the values of `grid` in turn.
    std::vector<double> grid = {};
};

std::vector<Method> methods() {
    const std::vector<double> tolerances = {-1, 0, 1e-3, 2e-3, 4e-3};
    const std::vector<double> strengths = {1, 10, 100, 1000, 1e4, 1e5};
    return {
        {"uniform", "uniform", "map"},
        {"ser", "ser", "map"},
        {"ser-paper", "ser", "map", {{"pairs", "best"}, {"ties", "none"}}},
        {"sser", "sser", "map", {}, {}, "gamma", {0, 0.05, 0.1, 0.2, 0.5, 1, 2}},
        {"sser-half", "sser", "map"},
        {"wel", "wel", "map"},
        {"adarank-map", "adarank", "map", {}, {}, "tolerance", tolerances},
        {"adarank-ndcg", "adarank", "ndcg-letor", {}, {}, "tolerance", tolerances},
        {"ranksvm", "ranksvm", "map", {{"loss", "squared"}}, {}, "c", strengths},
        {"ranksvm-hinge", "ranksvm", "map", {{"loss", "hinge"}}, {}, "c", strengths},
        {"ranksvm-even",
         "ranksvm",
         "map",
         {{"loss", "hinge"}, {"costs", "even"}},
         {},
         "c",
         strengths},
        {"ranksvm-cao",
         "ranksvm",
         "map",
         {{"loss", "hinge"}, {"costs", "queries-and-grades"}},
         {},
         "c",
         strengths},
        {"svm-map", "svm-map", "map", {}, {}, "c", strengths},
        {"svm-ndcg", "svm-ndcg", "map", {}, {}, "c", strengths},
        {"permurank-map", "permurank", "map", {}, {}, "c", {1, 10, 100, 1000}},
        {"permurank-ndcg", "permurank", "ndcg-exp", {}, {}, "c", {1, 10, 100, 1000}},
        {"rankboost",
         "rankboost",
         "map",
         {{"costs", "even"}},
         {{"rounds", 500}},
         "thresholds",
         {0, 5, 10, 30}},
        {"rankboost-q",
         "rankboost",
         "map",
         {{"costs", "queries"}},
         {{"rounds", 500}},
         "thresholds",
         {0, 5, 10, 30}},
        {"mhr-bc", "mhr-bc", "map", {}, {}, "c", strengths},
        {"listnet", "listnet", "map", {}, {}, "c", strengths},
        {"listmle", "listmle", "map", {}, {}, "c", strengths},
    };
}

struct Fold {
    TrainingSet train;
    TrainingSet validation;
    TrainingSet test;
};

TrainingSet set_of(const std::string& path) {
    braid::LetorData data = braid::read_letor(path);
    TrainingSet set;
    for (std::size_t k = 1; k <= data.features; ++k) set.rankers.push_back(fmt::format("f{}", k));
    set.queries = std::move(data.queries);
    set.query_begin = std::move(data.query_offsets);
    set.scores = std::move(data.values);
    for (const int label : data.labels) set.grades.push_back(label);
    return set;
}

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

// The mean over all queries, those on which nothing can score among them.
double mean_of_all(const TrainingSet& set, const std::string& measure,
                   const RankingFunction& function) {
    const TrainingMeasure judged(set, measure);
    return judged.mean(function) * static_cast<double>(judged.queries().size()) /
           static_cast<double>(set.queries.size());
}

struct Chosen {
    braid::TrainingResult result;
    LearnerOptions options;
    double validation = -1;
};

Chosen fit(const Method& method, const Fold& fold, braid::Executor& executor) {
    Chosen best;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, method.grid.size()); ++i) {
        LearnerOptions options{.measure = method.measure,
                               .parameters = method.parameters,
                               .choices = method.choices,
                               .validation = &fold.validation};
        if (!method.grid.empty()) options.parameters[method.tuned] = method.grid[i];
        braid::TrainingResult result =
            braid::fit_learner(method.learner, fold.train, options, executor);
        const double value = mean_of_all(fold.validation, method.measure, result.function);
        if (value > best.validation) best = {std::move(result), options, value};
    }
    return best;
}

const std::vector<std::string>& measures() {
    static const std::vector<std::string> names = {"map",          "ndcg-letor@1",  "ndcg-letor@3",
                                                   "ndcg-letor@5", "ndcg-letor@10", "ndcg-exp@10",
                                                   "ndcg-letor"};
    return names;
}

void run(const Method& method, const std::vector<Fold>& folds, braid::Executor& executor) {
    std::vector<double> means(measures().size(), 0);
    double one_fit = 0;
    std::string chosen;
    const double before = processor_seconds();
    for (std::size_t f = 0; f < folds.size(); ++f) {
        const Chosen best = fit(method, folds[f], executor);
        for (std::size_t i = 0; i < means.size(); ++i) {
            means[i] += mean_of_all(folds[f].test, measures()[i], best.result.function) /
                        static_cast<double>(folds.size());
        }
        if (!method.grid.empty()) {
            chosen += fmt::format(" {:g}", best.options.parameters.at(method.tuned));
        }
    }
    const double all = processor_seconds() - before;
    const Chosen first = fit(method, folds[0], executor);
    LearnerOptions alone = first.options;
    alone.validation = nullptr;
    const double start = processor_seconds();
    braid::fit_learner(method.learner, folds[0].train, alone, *braid::make_executor(1));
    one_fit = processor_seconds() - start;
    fmt::print("{:<16}", method.name);
    for (const double mean : means) fmt::print(" {:>8.4f}", mean);
    fmt::print(" {:>8.2f} {:>8.3f} {}{}\n", all, one_fit, method.tuned, chosen);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "letor_learners FOLDER [METHOD...]\n");
        return 2;
    }
    std::vector<Fold> folds;
    for (std::size_t f = 1; f <= kFolds; ++f) {
        const std::string folder = fmt::format("{}/Fold{}/", argv[1], f);
        folds.push_back({set_of(folder + "train.txt.gz"), set_of(folder + "vali.txt.gz"),
                         set_of(folder + "test.txt.gz")});
    }
    const auto executor = braid::make_executor(1);
    fmt::print("{:<16}", "");
    for (const std::string& name : measures()) {
        fmt::print(" {:>8}", name.starts_with("ndcg-letor@") ? "letor@" + name.substr(11)
                             : name == "ndcg-letor"          ? "letor"
                                                             : name.substr(0, 8));
    }
    fmt::print(" {:>8} {:>8} {}\n", "all s", "one s", "chosen in folds 1 to 5");
    for (const Method& method : methods()) {
        bool is_asked = argc == 2;
        for (int i = 2; i < argc; ++i) is_asked = is_asked || method.name == argv[i];
        if (is_asked) run(method, folds, *executor);
    }
}
