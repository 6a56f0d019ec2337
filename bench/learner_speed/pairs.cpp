// SPDX-License-Identifier: GPL-2.0-or-later
//
// ranksvm beside liblinear on the differences of all pairs, in one run on one thread.
//
// Both minimise 1/2 |w|^2 + C sum over pairs of the (squared) hinge loss; ranksvm's c is C times
// the number of pairs, with even costs. For each C: processor seconds (median of three fits;
// making the differences isn't counted), the objective, and map on the validation queries.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <linear.h>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/learner_quality/letor_folds.h"
#include "braid/bench/learner_speed/generated_training.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid::bench {
namespace {

using braid::TrainingMeasure;
using braid::TrainingSet;
using Weights = std::vector<double>;

// Differences of the pairs of one query and unequal grades, the better first or, every other
// time, the worse, for liblinear wants two classes.
class Pairs {
  public:
    explicit Pairs(const TrainingSet& set) : width_(set.width()) {
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
                for (std::size_t j = set.query_begin[q]; j < set.query_begin[q + 1]; ++j) {
                    if (set.grades[i] > set.grades[j]) add(set.row(i), set.row(j));
                }
            }
        }
        for (std::size_t i = 0; i < signs_.size(); ++i) rows_.push_back(&nodes_[begin_[i]]);
    }

    std::size_t size() const { return signs_.size(); }

    Weights train_liblinear(int solver, double c) {
        problem all{static_cast<int>(size()), static_cast<int>(width_), signs_.data(), rows_.data(),
                    -1};
        parameter settings{};
        settings.solver_type = solver;
        settings.C = c;
        settings.eps = solver == L2R_L2LOSS_SVC ? 0.01 : 0.1;  // Its own defaults.
        set_print_string_function([](const char*) {});
        model* found = train(&all, &settings);
        Weights weights(found->w, found->w + width_);
        for (double& weight : weights) weight *= found->label[0];
        free_and_destroy_model(&found);
        return weights;
    }

    double objective(const Weights& weights, double c, bool is_squared) const {
        double sum = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            double apart = 0;
            for (const feature_node* node = rows_[i]; node->index > 0; ++node) {
                apart += weights[static_cast<std::size_t>(node->index) - 1] * node->value;
            }
            const double rest = std::max(0.0, 1 - signs_[i] * apart);
            sum += is_squared ? rest * rest : rest;
        }
        double length = 0;
        for (const double weight : weights) length += weight * weight;
        return 0.5 * length + c * sum;
    }

  private:
    void add(std::span<const double> better, std::span<const double> worse) {
        const double sign = signs_.size() % 2 == 0 ? 1 : -1;
        begin_.push_back(nodes_.size());
        signs_.push_back(sign);
        for (std::size_t k = 0; k < width_; ++k) {
            const double apart = sign * (better[k] - worse[k]);
            if (apart != 0) nodes_.push_back({static_cast<int>(k) + 1, apart});
        }
        nodes_.push_back({-1, 0});
    }

    std::size_t width_;
    std::vector<feature_node> nodes_;
    std::vector<std::size_t> begin_;
    std::vector<double> signs_;
    std::vector<feature_node*> rows_;
};

struct Solution {
    Weights weights;
    double objective;
};

struct Fit {
    double seconds = 0;
    Solution solution = {};
};

Fit median_fit(const std::function<Solution()>& work) {
    Fit fit;
    std::vector<double> seconds;
    for (int i = 0; i < 3; ++i) {
        const double start = user_seconds();
        fit.solution = work();
        seconds.push_back(user_seconds() - start);
    }
    std::sort(seconds.begin(), seconds.end());
    fit.seconds = seconds[1];
    return fit;
}

void compare(const TrainingSet& training, const TrainingSet& validation, const std::string& loss) {
    Pairs pairs(training);
    const TrainingMeasure measure(validation, "map");
    fmt::print("{} queries, {} pairs, {} columns\n{:>8} {:>8} {:<24} {:>8} {:>14} {:>8}\n",
               training.queries.size(), pairs.size(), training.width(), "loss", "C", "", "s",
               "objective", "map");
    for (const bool is_squared : {true, false}) {
        if (!loss.empty() && loss != (is_squared ? "squared" : "hinge")) continue;
        for (const double c : {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
            const auto print = [&](const std::string& name, const Fit& fit) {
                fmt::print("{:>8} {:>8} {:<24} {:8.3f} {:14.4f} {:8.4f}\n",
                           is_squared ? "squared" : "hinge", c, name, fit.seconds,
                           fit.solution.objective,
                           measure.mean(braid::LinearFunction{fit.solution.weights}));
                std::fflush(stdout);
            };
            const int solver = is_squared ? L2R_L2LOSS_SVC : L2R_L1LOSS_SVC_DUAL;
            Fit peer = median_fit([&] { return Solution{pairs.train_liblinear(solver, c), 0}; });
            peer.solution.objective = pairs.objective(peer.solution.weights, c, is_squared);
            print("liblinear", peer);
            for (const double tolerance : {1e-2, 1e-3}) {
                const braid::LearnerOptions options{
                    .parameters = {{"c", c * static_cast<double>(pairs.size())},
                                   {"tolerance", tolerance}},
                    .choices = {{"loss", is_squared ? "squared" : "hinge"}, {"costs", "even"}}};
                print(fmt::format("ranksvm, tolerance {}", tolerance), median_fit([&] {
                          const braid::TrainingResult result = braid::fit_learner(
                              "ranksvm", training, options, *braid::make_executor(1));
                          return Solution{std::get<braid::LinearFunction>(result.function).weights,
                                          result.curve.back().objective};
                      }));
            }
        }
    }
}

struct Options : Arguments {
    std::string fold =
        required("FOLD", &fold,
                 "A folder with train.txt.gz and vali.txt.gz, as LETOR has them, or generated: 500 "
                 "queries of 100 documents, 10 relevant, and 25 columns");
    std::string loss = option("--loss", &loss, "One loss; both if none", "", {"squared", "hinge"});
};

void compare_on(const Options& options) {
    if (options.fold != "generated") {
        compare(read_letor_set(options.fold + "/train.txt.gz"),
                read_letor_set(options.fold + "/vali.txt.gz"), options.loss);
        return;
    }
    const TrainingSet set = generate({750, 100, 25, 10});
    std::vector<std::size_t> first(500);
    std::vector<std::size_t> last(250);
    for (std::size_t q = 0; q < 750; ++q) (q < 500 ? first[q] : last[q - 500]) = q;
    compare(subset(set, first), subset(set, last), options.loss);
}

}  // namespace

void add_pairs(Program& program) {
    program.add("pairs", "ranksvm, beside liblinear on the differences of pairs", compare_on);
}

}  // namespace braid::bench
