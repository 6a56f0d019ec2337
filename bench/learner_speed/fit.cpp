// SPDX-License-Identifier: GPL-2.0-or-later
// How long learners take on generated training sets: each is fitted once on all processors. Times
// are in processor seconds and on the clock; memory is the most the process had.
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/learner_speed/generated_training.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid::bench {
namespace {

// The learners, with parameters that bound the steps of the slow ones.
std::vector<std::pair<std::string, braid::ParameterMap>> runs() {
    return {{"uniform", {}},
            {"enm-b", {}},
            {"genm-on", {{"passes", 1}}},
            {"genm-bat", {{"starts", 16}}},
            {"genm-ip", {}},
            {"uns-enm", {}},
            {"coordinate", {{"restarts", 0}}},
            {"adarank", {}},
            {"ranksvm", {}},
            {"svm-map", {}},
            {"svm-ndcg", {}},
            {"permurank", {{"rounds", 10}}},
            {"listnet", {}},
            {"listmle", {}},
            {"rankboost", {{"rounds", 100}}},
            {"mhr-bc", {}}};
}

// `only` is one learner, or "" for all.
void fit_all(const Shape& shape, const std::string& only) {
    const TrainingSet set = generate(shape);
    const auto executor = braid::make_executor(0);
    const braid::TrainingMeasure measure(set, "map");
    const double matrix = static_cast<double>(set.scores.size()) * 8 / 1e6;
    fmt::print("{} queries x {} documents x {} rankers, {} relevant: {:.0f} MB of scores\n",
               shape.queries, shape.documents, shape.rankers, shape.relevant, matrix);
    fmt::print("{:>24} {:>10} {:>10} {:>8} {:>8} {:>10}\n", "", "processor", "clock", "map",
               "rounds", "most MB");
    for (const auto& [learner, parameters] : runs()) {
        if (!only.empty() && only != learner) continue;
        const double processor = user_seconds();
        const double clock = wall_seconds();
        const auto result = braid::fit_learner(learner, set, {.parameters = parameters}, *executor);
        const double fitted = user_seconds() - processor;
        const double waited = wall_seconds() - clock;
        fmt::print("{:>24} {:10.2f} {:10.2f} {:8.4f} {:8} {:10.0f}\n", learner, fitted, waited,
                   measure.mean(result.function, *executor), result.iterations, peak_megabytes());
        std::fflush(stdout);
    }
}

std::vector<std::string> learner_names() {
    std::vector<std::string> names;
    for (const auto& [learner, parameters] : runs()) names.push_back(learner);
    return names;
}

struct Options : Arguments {
    std::size_t queries = option("--queries", &queries, "Queries of the set", 1000);
    std::size_t documents = option("--documents", &documents, "Documents of each query", 1000);
    std::size_t rankers = option("--rankers", &rankers, "Rankers, the columns", 10);
    std::size_t relevant = option("--relevant", &relevant, "Relevant documents of each query", 10);
    std::string learner =
        option("--learner", &learner, "One learner; all if none", "", learner_names());
};

void measure(const Options& options) {
    fit_all({options.queries, options.documents, options.rankers, options.relevant},
            options.learner);
}

}  // namespace

void add_fit(Program& program) {
    program.add("fit", "One fit of each learner to a generated set", measure);
}

}  // namespace braid::bench
