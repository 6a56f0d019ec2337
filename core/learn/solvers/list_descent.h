// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The two descents on the objective of lists. docs/algorithms/list-loss.md section 5.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/learn/losses/list_objective.h"

namespace braid {

struct DescentOptions {
    std::size_t passes = 300;
    double rate = 0.01;       ///< tau.
    double tolerance = 1e-5;  ///< Stops after a pass that gains less of the objective.
    std::uint64_t seed = kDefaultSeed;
    bool non_negative = false;  ///< Steps of fixed weights stop at 0.
};

/// AdaGrad's step lengths for numbers learned together.
class AdaGrad {
  public:
    AdaGrad(std::size_t size, double rate) : rate_(rate), squares_(size, 0) {}

    /// values -= rate gradient / root of the sum of squared gradients so far.
    void step(std::span<double> values, std::span<const double> gradient);

  private:
    double rate_;
    std::vector<double> squares_;
};

/// Runs passes over the queries in random order. `learn` takes a step on the i-th of the
/// objective's queries. After each pass, `record` gets the objective, computed by `mean`, and
/// returns whether to continue. Returns the stop reason.
std::string descend(const ListObjective& objective, const DescentOptions& options,
                    const std::function<void(std::size_t i, const ListObjective::Query&)>& learn,
                    const std::function<double()>& mean, const std::function<bool(double)>& record);

/// Fixed weights at the optimum (with diversity a local one), starting from uniform ones; raw, as
/// in the objective. Calls `record` with the objective and the weights at the start and after every
/// step; it returns whether to continue.
std::string descend_fixed(const ListObjective& objective, const DescentOptions& options, double l2,
                          const std::function<bool(double, const std::vector<double>&)>& record);

/// "passes" and "tolerance", and the options that a caller's values give.
std::vector<ParameterInfo> descent_parameters();
DescentOptions descent_options(const LearnerOptions& options);

}  // namespace braid
