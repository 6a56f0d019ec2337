// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// AdaGrad on the objective of lists; not installed. docs/algorithms/list-loss.md section 5.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/learn/losses/list_objective.h"

namespace braid {

struct DescentOptions {
    std::size_t passes = 300;
    double rate = 0.1;        ///< tau.
    double tolerance = 1e-5;  ///< A pass that gains less of the objective is the last.
    std::uint64_t seed = kDefaultSeed;
    bool non_negative = false;  ///< Steps of fixed weights end at 0.
    bool by_steps = false;      ///< Fixed weights by AdaGrad, and not at their optimum.
};

/// AdaGrad's step lengths for some numbers that are learned together.
class AdaGrad {
  public:
    AdaGrad(std::size_t size, double rate) : rate_(rate), squares_(size, 0) {}

    /// values -= rate gradient / root of the sum of squared gradients so far.
    void step(std::span<double> values, std::span<const double> gradient);

  private:
    double rate_;
    std::vector<double> squares_;
};

/// Runs passes over the queries in random order. `learn` takes a step on a query, the i-th of the
/// objective's; `mean` is the objective after a pass, which `record` gets and says whether to go
/// on. Returns why it stopped.
std::string descend(const ListObjective& objective, const DescentOptions& options,
                    const std::function<void(std::size_t i, const ListObjective::Query&)>& learn,
                    const std::function<double()>& mean, const std::function<bool(double)>& record);

/// Fixed weights, from uniform ones; raw, as the objective knows them: at the optimum (with
/// diversity a local one), or by passes of AdaGrad. `record` gets the objective and the weights at
/// first and after every step or pass, and says whether to go on.
BRAID_API std::string descend_fixed(
    const ListObjective& objective, const DescentOptions& options, double l2,
    const std::function<bool(double, const std::vector<double>&)>& record);

/// "passes", "rate", "tolerance" and the choice "solver", and what a caller made of them.
std::vector<ParameterInfo> descent_parameters();
ChoiceInfo solver_choice();
DescentOptions descent_options(const LearnerOptions& options);

}  // namespace braid
