// SPDX-License-Identifier: GPL-2.0-or-later
// How long the smooth measure's gradient takes, on one thread, beside a plain one that works pair
// by pair on Eigen arrays: exp() of all differences, then a product with the scores.
#include <cmath>
#include <functional>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/learner_speed/generated_training.h"
#include "braid/core/learn/losses/smooth_measure.h"
#include "braid/progress.h"

namespace braid::bench {
namespace {
using braid::SmoothMeasure;
using braid::TrainingSet;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Of three runs: the machine may have other work.
double least_processor(const std::function<void()>& work) {
    double least = 1e300;
    for (int i = 0; i < 3; ++i) {
        const double start = user_seconds();
        work();
        least = std::min(least, user_seconds() - start);
    }
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
    fmt::print("{:>28} {:>9} {:>9} {:>9}  (processor ms)\n", "queries x documents, P", "plain",
               "gradient", "hessian");
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
        const SmoothMeasure measure(set, {});
        const double gradient_time =
            least_processor([&] { measure.with_gradient(weights, *executor); });
        const double hessian_time =
            least_processor([&] { measure.with_hessian(weights, *executor); });
        fmt::print("{:>28} {:9.1f} {:9.1f} {:9.1f}\n",
                   fmt::format("{} x {}, {}", shape.queries, shape.documents, shape.relevant),
                   1e3 * plain, 1e3 * gradient_time, 1e3 * hessian_time);
        std::fflush(stdout);
    }
}

}  // namespace

void add_gradients(Program& program) {
    program.add("gradients", "The smooth measure's gradient, beside a plain one on Eigen arrays",
                compare_gradients);
}

}  // namespace braid::bench
