// SPDX-License-Identifier: GPL-2.0-or-later
//
// Learners on a LETOR collection in five folds, by the protocol of its published baselines.
//
//     letor_learners FOLDER [METHOD...]
//     letor_learners FOLDER restrained|settings METHOD...
//     letor_learners FOLDER against METHOD OTHER...
//
// FOLDER has Fold1 .. Fold5 with train, vali and test.txt.gz. For each fold a method is fitted with
// every setting of its small grid, the validation queries choose the setting (and, of the
// weights a fit passes through, the best), and the test queries are scored once. Figures are means
// over folds of means over a fold's queries, those without a relevant document count 0. Grades
// from 1 up are relevant. "letor" columns are LETOR's own NDCG, where a list shorter than k
// counts 0. Seconds are of the processor, for all folds and settings together, and for one fit
// on one thread with the setting chosen in fold 1. `restrained` takes the setting that
// fits least closely of those no more than a standard error below the best on the validation
// queries. `settings` prints for every setting its map on
// validation and test queries instead, means over folds; `against` the p values of tests between
// the map of the first method and of each other on the test queries of all folds, paired.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/common/timing.h"
#include "braid/bench/learner_quality/letor_folds.h"
#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/learner.h"
#include "braid/core/statistics/paired_tests.h"
#include "braid/core/statistics/summary.h"

namespace {

using braid::LearnerOptions;
using braid::RankingFunction;
using braid::TrainingMeasure;
using braid::TrainingSet;
using braid::bench::Fold;
using braid::bench::mean_of_all;
using braid::bench::Method;
using braid::bench::processor_seconds;

struct Chosen {
    braid::TrainingResult result;
    LearnerOptions options;
    double validation = -1;
};

// One value a query.
std::vector<double> values_of(const TrainingSet& set, const std::string& measure,
                              const RankingFunction& function) {
    const TrainingMeasure judged(set, measure);
    std::vector<double> values;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        values.push_back(judged.of_query(q, function));
    }
    return values;
}

// The mean's standard error.
double error_of(const std::vector<double>& values) {
    return braid::standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
}

// The setting best on the validation queries or, if `restrained`, the first one that is no more
// than a standard error (of the differences between queries) below it.
Chosen fit(const Method& method, const Fold& fold, braid::Executor& executor,
           bool restrained = false) {
    std::vector<Chosen> tried;
    std::vector<std::vector<double>> values;
    std::size_t best = 0;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, method.grid.size()); ++i) {
        LearnerOptions options{.measure = method.measure,
                               .parameters = method.parameters,
                               .choices = method.choices,
                               .validation = &fold.validation};
        if (!method.grid.empty()) options.parameters[method.tuned] = method.grid[i];
        braid::TrainingResult result =
            braid::fit_learner(method.learner, fold.train, options, executor);
        values.push_back(values_of(fold.validation, method.measure, result.function));
        tried.push_back({std::move(result), options, braid::mean(values.back())});
        if (tried[i].validation > tried[best].validation) best = i;
    }
    for (std::size_t i = 0; restrained && i < best; ++i) {
        std::vector<double> less = values[best];
        for (std::size_t q = 0; q < less.size(); ++q) less[q] -= values[i][q];
        if (braid::mean(less) <= error_of(less)) return tried[i];
    }
    return tried[best];
}

const std::vector<std::string>& measures() {
    static const std::vector<std::string> names = {"map",          "ndcg-letor@1",  "ndcg-letor@3",
                                                   "ndcg-letor@5", "ndcg-letor@10", "ndcg-exp@10",
                                                   "ndcg-letor"};
    return names;
}

void run(const Method& method, const std::vector<Fold>& folds, bool restrained,
         braid::Executor& executor) {
    std::vector<double> means(measures().size(), 0);
    double one_fit = 0;
    std::string chosen;
    const double before = processor_seconds();
    for (std::size_t f = 0; f < folds.size(); ++f) {
        const Chosen best = fit(method, folds[f], executor, restrained);
        for (std::size_t i = 0; i < means.size(); ++i) {
            means[i] += mean_of_all(folds[f].test, measures()[i], best.result.function) /
                        static_cast<double>(folds.size());
        }
        if (!method.grid.empty()) {
            chosen += fmt::format(" {:g}", best.options.parameters.at(method.tuned));
        }
    }
    const double all = processor_seconds() - before;
    const Chosen first = fit(method, folds[0], executor, restrained);
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

// What every setting gets on validation and test queries.
void show_settings(const Method& method, const std::vector<Fold>& folds,
                   braid::Executor& executor) {
    for (const double value : method.grid) {
        Method one = method;
        one.grid = {value};
        double validation = 0;
        double test = 0;
        for (const Fold& fold : folds) {
            const RankingFunction function = fit(one, fold, executor).result.function;
            validation += mean_of_all(fold.validation, "map", function);
            test += mean_of_all(fold.test, "map", function);
        }
        const auto count = static_cast<double>(folds.size());
        fmt::print("{:<16} {:>12} {:>8g} {:8.4f} {:8.4f}\n", method.name, method.tuned, value,
                   validation / count, test / count);
        std::fflush(stdout);
    }
}

// Of every query of the collection, once: those without a relevant document get 0.
std::vector<double> precisions(const Method& method, const std::vector<Fold>& folds,
                               braid::Executor& executor) {
    std::vector<double> values;
    for (const Fold& fold : folds) {
        const Chosen chosen = fit(method, fold, executor);
        const TrainingMeasure measure(fold.test, "map");
        for (std::size_t q = 0; q < fold.test.queries.size(); ++q) {
            values.push_back(measure.of_query(q, chosen.result.function));
        }
    }
    return values;
}

void test(const std::vector<Method>& asked, const std::vector<Fold>& folds,
          braid::Executor& executor) {
    const std::vector<double> first = precisions(asked.front(), folds, executor);
    fmt::print("{:<16} {:>8} {:>8} {:>8} {:>8}   {} is {:.4f}\n", "map over queries", "", "less",
               "p of t", "p of r", asked.front().name, braid::mean(first));
    for (std::size_t i = 1; i < asked.size(); ++i) {
        std::vector<double> differences = first;
        const std::vector<double> other = precisions(asked[i], folds, executor);
        for (std::size_t q = 0; q < first.size(); ++q) differences[q] -= other[q];
        fmt::print("{:<16} {:8.4f} {:+8.4f} {:8.4f} {:8.4f}\n", asked[i].name, braid::mean(other),
                   braid::mean(differences), braid::paired_t_test(differences).p,
                   braid::randomisation_test(differences).p);
        std::fflush(stdout);
    }
}

void print_head() {
    fmt::print("{:<16}", "");
    for (const std::string& name : measures()) {
        fmt::print(" {:>8}", name.starts_with("ndcg-letor@") ? "letor@" + name.substr(11)
                             : name == "ndcg-letor"          ? "letor"
                                                             : name.substr(0, 8));
    }
    fmt::print(" {:>8} {:>8} {}\n", "all s", "one s", "chosen in folds 1 to 5");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "letor_learners FOLDER [METHOD...]\n");
        return 2;
    }
    const std::vector<Fold> folds = braid::bench::read_folds(argv[1]);
    const auto executor = braid::make_executor(1);
    const std::string mode = argc > 2 ? argv[2] : "";
    const bool has_mode = mode == "settings" || mode == "against" || mode == "restrained";
    const std::vector<Method> asked =
        braid::bench::letor_methods({argv + (has_mode ? 3 : 2), argv + argc});
    if (mode == "against") {
        test(asked, folds, *executor);
        return 0;
    }
    if (mode != "settings") print_head();
    for (const Method& method : asked) {
        if (mode == "settings") {
            show_settings(method, folds, *executor);
        } else {
            run(method, folds, mode == "restrained", *executor);
        }
    }
}
