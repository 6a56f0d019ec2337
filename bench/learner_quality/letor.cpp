// SPDX-License-Identifier: GPL-2.0-or-later
//
// Learners on a LETOR collection in five folds, by the protocol of its published baselines.
//
// For each fold a method is fitted with every setting of its small grid, the validation queries
// choose the setting (and, of the weights a fit passes through, the best), and the test queries are
// scored once. Figures are means over folds of means over a fold's queries, those without a
// relevant document count 0. Grades from 1 up are relevant. "letor" columns are LETOR's own NDCG,
// where a list shorter than k counts 0. Seconds are of the processor, for all folds and settings
// together, and for one fit on one thread with the setting chosen in fold 1.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/learner_quality/letor_folds.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/eval/summary.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid::bench {
namespace {

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
    for (std::size_t i = 0; i < settings_of(method); ++i) {
        LearnerOptions options = options_of(method, i);
        options.validation = &fold.validation;
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
    const double before = user_seconds();
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
    const double all = user_seconds() - before;
    const Chosen first = fit(method, folds[0], executor, restrained);
    LearnerOptions alone = first.options;
    alone.validation = nullptr;
    const double start = user_seconds();
    braid::fit_learner(method.learner, folds[0].train, alone, *braid::make_executor(1));
    one_fit = user_seconds() - start;
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
        const std::vector<double> own = values_of(fold.test, "map", chosen.result.function);
        values.insert(values.end(), own.begin(), own.end());
    }
    return values;
}

void compare(const std::vector<Method>& asked, const std::vector<Fold>& folds,
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

struct Options : Arguments {
    std::string folder = required("FOLDER", &folder, kFoldsHelp);
    std::vector<std::string> methods = positional("METHOD", &methods, "Methods; all if none");
};

struct TableOptions : Options {
    bool restrained =
        option("--restrained", &restrained,
               "Of the settings within a standard error of the best on the validation queries take "
               "the one that fits least closely");
};

struct TestOptions : Arguments {
    std::string folder = required("FOLDER", &folder, kFoldsHelp);
    std::string method = required("METHOD", &method, "The method that others are compared with");
    std::vector<std::string> others = required("OTHER", &others, "The others");
};

void print_table(const TableOptions& options) {
    const std::vector<Fold> folds = read_folds(options.folder);
    const auto executor = braid::make_executor(1);
    const std::vector<Method> asked = letor_methods(options.methods);
    print_head();
    for (const Method& method : asked) run(method, folds, options.restrained, *executor);
}

void print_settings(const Options& options) {
    const std::vector<Fold> folds = read_folds(options.folder);
    const auto executor = braid::make_executor(1);
    for (const Method& method : letor_methods(options.methods)) {
        show_settings(method, folds, *executor);
    }
}

void print_tests(const TestOptions& options) {
    std::vector<std::string> names = {options.method};
    names.insert(names.end(), options.others.begin(), options.others.end());
    compare(letor_methods(names), read_folds(options.folder), *braid::make_executor(1));
}

}  // namespace

void add_letor(Program& program) {
    program.add("letor",
                "Learners on a LETOR collection, by the protocol of its published baselines",
                print_table);
    program.add("letor-settings",
                "Map of every setting on validation and test queries, means over folds",
                print_settings);
    program.add("letor-against",
                "Paired tests of map on all test queries, one method against others", print_tests);
}

}  // namespace braid::bench
