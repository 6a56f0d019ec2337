// SPDX-License-Identifier: GPL-2.0-or-later
//
// How long learners take on generated training sets.
//
//     learners [gradients | LEARNER | QUERIES DOCUMENTS RANKERS RELEVANT [LEARNER]]
//                                   all learners on 1000 1000 10 10 if left out
//
// `gradients` compares the smooth measure's gradient, on one thread, with a plain one that works
// pair by pair on Eigen arrays: exp() of all differences, then a product with the scores.
// Otherwise each learner is fitted once on all processors. Times are in processor seconds and
// on the clock; memory is the most the process had.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "braid/bench/common/timing.h"
#include "braid/bench/learner_speed/generated_training.h"
#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/learner.h"
#include "braid/core/learners/smooth/smooth_measure.h"

namespace {

using braid::SmoothMeasure;
using braid::SmoothOptions;
using braid::TrainingSet;
using braid::bench::generate;
using braid::bench::processor_seconds;
using braid::bench::Shape;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Cost {
    double processor;
    double clock;
};

Cost cost_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    const double before = processor_seconds();
    work();
    const std::chrono::duration<double> clock = std::chrono::steady_clock::now() - start;
    return {processor_seconds() - before, clock.count()};
}

// Of three: the machine may have other work.
double least_processor(const std::function<void()>& work) {
    double least = 1e300;
    for (int i = 0; i < 3; ++i) least = std::min(least, cost_of(work).processor);
    return least;
}

// O(documents x relevant x rankers) a query; relevant documents come first, and are in
// descending order of their number for the place j (which costs nothing here).
double plain_gradient(const TrainingSet& set, std::size_t relevant, double beta,
                      const Eigen::VectorXd& weights, Eigen::VectorXd& gradient) {
    double value = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const Eigen::Map<const Rows> x(set.query_scores(q).data(),
                                       static_cast<Eigen::Index>(set.pool_size(q)), weights.size());
        const Eigen::ArrayXd z = beta * (x * weights).array();
        for (std::size_t j = 0; j < relevant; ++j) {
            const auto at = static_cast<Eigen::Index>(j);
            const Eigen::ArrayXd g = 1 / (1 + (z(at) - z).exp());
            const Eigen::VectorXd slope = (g * (1 - g)).matrix();
            const double position = 0.5 + g.sum();
            const double share =
                static_cast<double>(j + 1) / static_cast<double>(relevant * set.queries.size());
            value += share / position;
            gradient -= share * beta / (position * position) *
                        (x.transpose() * slope - slope.sum() * x.row(at).transpose());
        }
    }
    return value;
}

void compare_gradients() {
    const auto executor = braid::make_executor(1);
    fmt::print("{:>28} {:>9} {:>9} {:>9} {:>9} {:>9}  (processor ms)\n", "queries x documents, P",
               "plain", "pairs", "series", "taken", "hessian");
    for (const Shape& shape :
         {Shape{1000, 1000, 10, 10}, Shape{100, 1000, 10, 100}, Shape{10, 10000, 10, 10},
          Shape{10, 10000, 10, 100}, Shape{10, 10000, 10, 1000}}) {
        const TrainingSet set = generate(shape);
        const std::vector<double> weights(shape.rankers, 1 / static_cast<double>(shape.rankers));
        const Eigen::VectorXd eigen_weights =
            Eigen::VectorXd::Constant(static_cast<Eigen::Index>(shape.rankers), weights[0]);
        Eigen::VectorXd gradient = Eigen::VectorXd::Zero(eigen_weights.size());
        const double plain = least_processor(
            [&] { plain_gradient(set, shape.relevant, 200, eigen_weights, gradient); });
        std::vector<double> times;
        for (const auto method : {SmoothOptions::Method::kPairs, SmoothOptions::Method::kSeries,
                                  SmoothOptions::Method::kQuicker}) {
            const SmoothMeasure measure(set, {.method = method});
            times.push_back(least_processor([&] { measure.with_gradient(weights, *executor); }));
        }
        const SmoothMeasure measure(set, {});
        times.push_back(least_processor([&] { measure.with_hessian(weights, *executor); }));
        fmt::print("{:>28} {:9.1f} {:9.1f} {:9.1f} {:9.1f} {:9.1f}\n",
                   fmt::format("{} x {}, {}", shape.queries, shape.documents, shape.relevant),
                   1e3 * plain, 1e3 * times[0], 1e3 * times[1], 1e3 * times[2], 1e3 * times[3]);
        std::fflush(stdout);
    }
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
    const std::vector<std::pair<std::string, braid::ParameterMap>> runs = {
        {"uniform", {}},
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
    for (const auto& [learner, parameters] : runs) {
        if (!only.empty() && only != learner) continue;
        braid::TrainingResult result;
        const Cost cost = cost_of([&, name = learner, values = parameters] {
            result = braid::fit_learner(name, set, {.parameters = values}, *executor);
        });
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        fmt::print("{:>24} {:10.2f} {:10.2f} {:8.4f} {:8} {:10}\n", learner, cost.processor,
                   cost.clock, measure.mean(result.function, *executor), result.iterations,
                   usage.ru_maxrss / 1024);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "gradients") {
        compare_gradients();
        return 0;
    }
    Shape shape = {1000, 1000, 10, 10};
    if (argc == 5 || argc == 6) {
        shape = {std::stoul(argv[1]), std::stoul(argv[2]), std::stoul(argv[3]),
                 std::stoul(argv[4])};
    } else if (argc > 2) {
        fmt::print(
            stderr,
            "learners [gradients | LEARNER | QUERIES DOCUMENTS RANKERS RELEVANT [LEARNER]]\n");
        return 2;
    }
    fit_all(shape, argc == 2 || argc == 6 ? argv[argc - 1] : "");
}
