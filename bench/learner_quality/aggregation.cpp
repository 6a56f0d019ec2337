// SPDX-License-Identifier: GPL-2.0-or-later
//
// Learners and fusion on LETOR 4.0's rank aggregation data (MQ2008-agg), beside a paper's figures.
//
// The test files of the five folds together are all queries. A value is a position in
// one of 25 lists; it becomes 10 / (position + 10), 0 where the list lacks the document. Queries
// are shuffled by one of five seeds and cut in two halves: one to learn from, the other to measure.
// Grade 2 is relevant; queries without one are left out of the means. "printed" divides NDCG@5 by
// the ideal over all relevant documents, as the paper's formula does; "ideal" by the one over the
// first five. Recall@5 divides by min(5, relevant). Learners learn from all grades, and choose by
// NDCG@5 where they choose. "p" is the paired t test of "ideal" against wel, queries of all
// seeds' test halves averaged.
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/learner_quality/aggregation_halves.h"
#include "braid/bench/learner_quality/letor_folds.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/learn/learner.h"

namespace braid::bench {
namespace {

using Method = AggregationMethod;
using Figures = AggregationFigures;

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
        {"wel-alike", "wel", .5537, .7022, {}, {{"queries", "alike"}}},
        {"welv", "welv", .5529, .7007},
        {"welv-alike", "welv", .5529, .7007, {}, {{"queries", "alike"}}},
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

std::vector<double> means_of(const Figures& figures) {
    std::vector<double> means;
    for (const auto& [query, own] : figures.by_query) means.push_back(own.first / own.second);
    return means;
}

std::string or_blank(double value) { return value > 0 ? fmt::format("{:.4f}", value) : ""; }

struct Options : Arguments {
    std::string folder = required("FOLDER", &folder, kFoldsHelp);
    std::vector<std::string> methods = positional("METHOD", &methods, "Methods; all if none");
};

void print_table(const Options& options) {
    const std::vector<Method> asked = asked_of(methods(), options.methods, &Method::name);
    const AggregationHalves comparison(options.folder);
    const std::vector<double> baseline = means_of(comparison.run({"wel", "wel"}));
    fmt::print("{:<14} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "", "ideal",
               "printed", "recall", "paper", "recall", "adaptive", "p", "gain", "s");
    for (const Method& method : asked) {
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
            figures.adaptive > 0 ? fmt::format("{}/{}", figures.adaptive, AggregationHalves::kSeeds)
                                 : "",
            braid::paired_t_test(gains).p, gain, figures.seconds);
        std::fflush(stdout);
    }
}

}  // namespace

void add_aggregation(Program& program) {
    program.add("aggregation",
                "Learners and fusion on MQ2008-agg's ranked lists, beside a paper's figures",
                print_table);
}

}  // namespace braid::bench
