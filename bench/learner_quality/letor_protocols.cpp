// SPDX-License-Identifier: GPL-2.0-or-later
//
// What else decides a figure on a LETOR collection, beside the learner. Test map, means over folds.
//
// letor-ties: fitted as the command letor does, with equal scores in the order of the file; then
// the test queries with equal scores in that order, in reverse, at random (the mean of 20), and
// with the relevant documents last and first, between which every order is. `order` is the file's
// order alone, without any scores. letor-refitted: the setting best on the validation queries as
// the fit of the training queries ends; the same setting fitted to both; and the setting best in
// five folds of both, fitted to both. letor-climbed: adarank for each measure, the round and the
// tolerance chosen on the validation queries by that measure and by map.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/learner_quality/letor_folds.h"
#include "braid/core/base/random.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/training_measure.h"

namespace braid::bench {
namespace {

constexpr std::size_t kOrders = 20;

double mean_on(const TrainingSet& set, const Method& method, const RankingFunction& function) {
    return TrainingMeasure(set, method.measure).mean(function);
}

// Names by which equal scores are put in an order: the greater name comes first.
enum class Order { kFile, kReverse, kRandom, kWorst, kBest };

TrainingSet named(const TrainingSet& set, Order order, std::uint64_t seed = 0) {
    TrainingSet result = set;
    if (order == Order::kFile) return result;
    braid::Random random(seed);
    result.documents.resize(set.rows());
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::size_t begin = set.query_begin[q];
        std::vector<std::size_t> last_first(set.pool_size(q));
        std::iota(last_first.begin(), last_first.end(), std::size_t{0});
        if (order == Order::kRandom) random.shuffle(last_first);
        if (order == Order::kWorst || order == Order::kBest) {
            std::stable_sort(last_first.begin(), last_first.end(), [&](auto a, auto b) {
                const auto left = set.grades[begin + a];
                const auto right = set.grades[begin + b];
                return order == Order::kBest ? left < right : left > right;
            });
        }
        for (std::size_t i = 0; i < last_first.size(); ++i) {
            result.documents[begin + last_first[i]] = fmt::format("{:09}", i);
        }
    }
    return result;
}

// As the command letor chooses.
RankingFunction chosen(const Method& method, const Fold& fold, braid::Executor& executor) {
    RankingFunction best;
    double most = -1;
    for (std::size_t i = 0; i < settings_of(method); ++i) {
        LearnerOptions options = options_of(method, i);
        options.validation = &fold.validation;
        const RankingFunction function =
            braid::fit_learner(method.learner, fold.train, options, executor).function;
        const double value = mean_on(fold.validation, method, function);
        if (value > most) best = function;
        most = std::max(most, value);
    }
    return best;
}

void print_ties(const std::string& name, const std::vector<Fold>& folds,
                const std::vector<RankingFunction>& functions) {
    std::vector<double> means(5, 0);
    for (std::size_t f = 0; f < folds.size(); ++f) {
        const auto map = [&](Order order, std::uint64_t seed = 0) {
            return mean_of_all(named(folds[f].test, order, seed), "map", functions[f]) /
                   static_cast<double>(folds.size());
        };
        means[0] += map(Order::kFile);
        means[1] += map(Order::kReverse);
        for (std::uint64_t seed = 1; seed <= kOrders; ++seed) {
            means[2] += map(Order::kRandom, seed) / kOrders;
        }
        means[3] += map(Order::kWorst);
        means[4] += map(Order::kBest);
    }
    fmt::print("{:<16}", name);
    for (const double mean : means) fmt::print(" {:8.4f}", mean);
    fmt::print("\n");
    std::fflush(stdout);
}

void show_ties(const std::vector<Method>& asked, const std::vector<Fold>& folds,
               braid::Executor& executor) {
    fmt::print("{:<16} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "ties", "file", "reverse", "random",
               "worst", "best");
    const std::vector<double> nothing(folds.front().train.width(), 0);
    print_ties("order", folds, {folds.size(), braid::LinearFunction{nothing}});
    for (const Method& method : asked) {
        std::vector<RankingFunction> functions;
        functions.reserve(folds.size());
        for (const Fold& fold : folds) functions.push_back(chosen(method, fold, executor));
        print_ties(method.name, folds, functions);
    }
}

TrainingSet joined(const TrainingSet& first, const TrainingSet& second) {
    TrainingSet set = first;
    set.queries.insert(set.queries.end(), second.queries.begin(), second.queries.end());
    for (std::size_t q = 0; q < second.queries.size(); ++q) {
        set.query_begin.push_back(first.rows() + second.query_begin[q + 1]);
    }
    set.scores.insert(set.scores.end(), second.scores.begin(), second.scores.end());
    set.grades.insert(set.grades.end(), second.grades.begin(), second.grades.end());
    return set;
}

// The setting best in five folds of a set.
std::size_t best_inside(const Method& method, const TrainingSet& set, braid::Executor& executor) {
    std::vector<double> sums(settings_of(method), 0);
    for (std::size_t part = 0; part < kFolds; ++part) {
        std::vector<std::size_t> in;
        std::vector<std::size_t> out;
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            (q % kFolds == part ? out : in).push_back(q);
        }
        const TrainingSet train = subset(set, in);
        const TrainingSet held_out = subset(set, out);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] +=
                mean_on(held_out, method,
                        braid::fit_learner(method.learner, train, options_of(method, i), executor)
                            .function);
        }
    }
    return static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

void show_refitted(const std::vector<Method>& asked, const std::vector<Fold>& folds,
                   braid::Executor& executor) {
    fmt::print("{:<16} {:>10} {:>10} {:>12}\n", "", "validation", "refitted", "inner folds");
    for (const Method& method : asked) {
        std::vector<double> means(3, 0);
        for (const Fold& fold : folds) {
            const auto fitted = [&](std::size_t setting, const TrainingSet& set) {
                return braid::fit_learner(method.learner, set, options_of(method, setting),
                                          executor)
                    .function;
            };
            const auto add = [&](std::size_t i, const RankingFunction& function) {
                means[i] +=
                    mean_of_all(fold.test, "map", function) / static_cast<double>(folds.size());
            };
            std::size_t best = 0;
            double most = -1;
            for (std::size_t i = 0; i < settings_of(method); ++i) {
                const double value = mean_on(fold.validation, method, fitted(i, fold.train));
                if (value > most) best = i;
                most = std::max(most, value);
            }
            const TrainingSet both = joined(fold.train, fold.validation);
            add(0, fitted(best, fold.train));
            add(1, fitted(best, both));
            add(2, fitted(best_inside(method, both, executor), both));
        }
        fmt::print("{:<16} {:10.4f} {:10.4f} {:12.4f}\n", method.name, means[0], means[1],
                   means[2]);
        std::fflush(stdout);
    }
}

// Test map of adarank's round that is best by `judge` on the validation queries.
double map_of_adarank(const Fold& fold, const std::string& climbed, const std::string& judge,
                      braid::Executor& executor) {
    const TrainingMeasure training(fold.train, climbed);
    const TrainingMeasure validation(fold.validation, judge);
    double most = -1;
    RankingFunction best;
    for (const double tolerance : {4e-3, 2e-3, 1e-3, 0.0, -1.0}) {
        braid::run_adarank(training, {.tolerance = tolerance}, executor,
                           [&](const braid::AdaRankRound&, const std::vector<double>& weights) {
                               const braid::LinearFunction function{weights};
                               const double value = validation.mean(function);
                               if (value > most) best = function;
                               most = std::max(most, value);
                               return true;
                           });
    }
    return mean_of_all(fold.test, "map", best);
}

void show_climbed(const std::vector<std::string>& measures, const std::vector<Fold>& folds,
                  braid::Executor& executor) {
    fmt::print("{:<16} {:>12} {:>10}\n", "adarank climbs", "chosen by it", "by map");
    for (const std::string& climbed : measures) {
        double by_itself = 0;
        double by_map = 0;
        for (const Fold& fold : folds) {
            const auto count = static_cast<double>(folds.size());
            by_itself += map_of_adarank(fold, climbed, climbed, executor) / count;
            by_map += map_of_adarank(fold, climbed, "map", executor) / count;
        }
        fmt::print("{:<16} {:>12.4f} {:>10.4f}\n", climbed, by_itself, by_map);
        std::fflush(stdout);
    }
}

struct MethodOptions : Arguments {
    std::string folder = required("FOLDER", &folder, kFoldsHelp);
    std::vector<std::string> methods = required("METHOD", &methods, "Methods to fit");
};

struct MeasureOptions : Arguments {
    std::string folder = required("FOLDER", &folder, kFoldsHelp);
    std::vector<std::string> measures = required("MEASURE", &measures, "Measures to climb");
};

}  // namespace

void add_letor_protocols(Program& program) {
    program.add(
        "letor-ties", "Test map by the order of documents with equal scores",
        +[](const MethodOptions& options) {
            show_ties(letor_methods(options.methods), read_folds(options.folder),
                      *braid::make_executor(1));
        });
    program.add(
        "letor-refitted", "Test map of refits on training and validation queries",
        +[](const MethodOptions& options) {
            show_refitted(letor_methods(options.methods), read_folds(options.folder),
                          *braid::make_executor(1));
        });
    program.add(
        "letor-climbed", "Test map of adarank by the measure it climbs",
        +[](const MeasureOptions& options) {
            show_climbed(options.measures, read_folds(options.folder), *braid::make_executor(1));
        });
}

}  // namespace braid::bench
