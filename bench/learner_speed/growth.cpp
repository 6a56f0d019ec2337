// SPDX-License-Identifier: GPL-2.0-or-later
//
// How learners' time and memory grow with a training set.
//
// By `documents`: 3 queries of 100 documents each or more; by `queries`: 100 queries or more, of 10
// documents each. 10 rankers, a tenth of the documents relevant. Each learner of
// measures and pairs runs so many steps, the same at every size, in a process of its own, on one
// thread. coordinate compares relevant documents with others, so its time grows with the product of
// their numbers: by documents it stops at 10,000. Processor seconds, and megabytes beyond those of
// the set; at the end the exponents of both, fitted by least squares to the logarithms of the sizes
// from 1,000 on.
#include <cmath>
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/learner_speed/generated_training.h"
#include "braid/core/learn/learner.h"

namespace braid::bench {
namespace {

struct GrowthRun {
    std::string learner;
    braid::ParameterMap parameters;
};

std::vector<GrowthRun> runs() {
    const braid::ParameterMap steps = {{"iterations", 5}};
    return {{"adarank", {{"rounds", 20}, {"tolerance", -1}}},
            {"ranksvm", steps},
            {"svm-map", steps},
            {"svm-ndcg", steps},
            {"permurank", {{"rounds", 2}, {"iterations", 5}}},
            {"listnet", steps},
            {"listmle", steps},
            {"rankboost", {{"rounds", 10}}},
            {"mhr-bc", steps},
            {"coordinate", {{"restarts", 0}, {"cycles", 1}}}};
}

struct Cost {
    double seconds = 0;
    double megabytes = 0;  // The most at any time, less what there was before the fit.
};

Cost fit(const GrowthRun& run, const Shape& shape) {
    const braid::TrainingSet set = generate(shape);
    const double before = peak_megabytes();
    const double start = user_seconds();
    braid::fit_learner(run.learner, set, {.parameters = run.parameters}, *braid::make_executor(1));
    return {user_seconds() - start, peak_megabytes() - before};
}

// In a child, whose most memory is its own.
Cost fit_apart(const GrowthRun& run, const Shape& shape) {
    int ends[2];
    Cost cost;
    if (pipe(ends) != 0) return cost;
    const pid_t child = fork();
    if (child == 0) {
        cost = fit(run, shape);
        const bool is_written = write(ends[1], &cost, sizeof cost) == sizeof cost;
        _exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &cost, sizeof cost) != sizeof cost) cost = {};
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return cost;
}

// The slope of log y by log x.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
    double sum_x = 0;
    double sum_y = 0;
    double sum_xx = 0;
    double sum_xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double log_x = std::log(x[i]);
        const double log_y = std::log(y[i]);
        sum_x += log_x;
        sum_y += log_y;
        sum_xx += log_x * log_x;
        sum_xy += log_x * log_y;
    }
    const auto n = static_cast<double>(x.size());
    return (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
}

void measure(const GrowthRun& run, bool by_documents, std::size_t most) {
    std::vector<double> sizes;
    std::vector<double> seconds;
    double bytes_a_row = 0;
    fmt::print("{:<10}", run.learner);
    for (std::size_t size = 100; size <= most; size *= 10) {
        if (by_documents && size > 10000 && run.learner == "coordinate") break;
        const Shape shape = by_documents ? Shape{3, size, 10, size / 10} : Shape{size, 10, 10, 1};
        const Cost cost = fit_apart(run, shape);
        fmt::print(" {:9.3f} {:7.1f}", cost.seconds, cost.megabytes);
        std::fflush(stdout);
        if (size < 1000) continue;
        sizes.push_back(static_cast<double>(size));
        seconds.push_back(std::max(cost.seconds, 1e-6));
        bytes_a_row =
            cost.megabytes * 1024 * 1024 / static_cast<double>(shape.queries * shape.documents);
    }
    fmt::print(" {:8.2f} {:11.0f}\n", exponent(sizes, seconds), bytes_a_row);
}

struct Options : Arguments {
    std::string by =
        required("BY", &by, "What grows: documents or queries", {"documents", "queries"});
    std::size_t most =
        option("--most", &most, "The largest size, 100 times a power of ten", 100'000);
    std::vector<std::string> learners =
        option("--learners", &learners, "Learners, NAME,NAME..; all if none");
};

void measure_all(const Options& options) {
    fmt::print("{:<10}", options.by);
    for (std::size_t size = 100; size <= options.most; size *= 10) {
        fmt::print(" {:>9} {:>7}", size, "MB");
    }
    fmt::print(" {:>8} {:>11}\n", "exponent", "bytes a row");
    for (const GrowthRun& run : asked_of(runs(), options.learners, &GrowthRun::learner)) {
        measure(run, options.by == "documents", options.most);
    }
}

}  // namespace

void add_growth(Program& program) {
    program.add("growth", "Time and memory of learners by the set's size", measure_all);
}

}  // namespace braid::bench
