// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/attention_solver.h"

#include <algorithm>

#include "braid/core/base/vector_sums.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/solvers/attention_fit.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

// The values of "embedding" that AttentionDescent learns.
constexpr const char* kSteps = "embedding=steps|query";

bool goes_on(double, const AttentionFunction&) { return true; }

}  // namespace

AttentionPlan attention_plan(const LearnerOptions& options) {
    const ParameterMap& parameters = options.parameters;
    AttentionPlan plan;
    plan.list = list_options(options);
    plan.fixed = descent_options(options);
    plan.fixed.non_negative = signs_of(options.choices) == WeightSigns::kNonNegative;
    plan.l2 = parameters.at("l2");
    const std::string& embedding = options.choices.at("embedding");
    plan.by_steps = embedding != "features";
    const auto dimensions = static_cast<std::size_t>(parameters.at("dimensions"));
    const auto passes = static_cast<std::size_t>(parameters.at("attention-passes"));
    plan.steps = {.dimensions = dimensions,
                  .shrink = parameters.at("embedding-shrink"),
                  .by_query = embedding == "query",
                  .heats = options.choices.at("scale") == "by-query",
                  .non_negative = plan.fixed.non_negative,
                  .descent = plan.fixed};
    plan.steps.descent.rate = parameters.at("attention-rate");
    plan.steps.descent.passes = passes;
    plan.whole = {.dimensions = dimensions,
                  .shrink = parameters.at("shrink"),
                  .iterations = passes,
                  .tolerance = parameters.at("tolerance")};
    return plan;
}

std::vector<ParameterInfo> attention_parameters() {
    return {
        {"dimensions", 16, 1, 1000, "most dimensions of the embeddings", kWhole},
        {"shrink", 100, 0, 1e9, "strength of the pull to fixed weights", !kWhole,
         "embedding=features"},
        {"embedding-shrink", 0.01, 0, 1e6, "strength of the pull of both embeddings to 0", !kWhole,
         kSteps},
        {"attention-rate", 0.01, 1e-9, 1e3, "AdaGrad's first step for embeddings (0.01)", !kWhole,
         kSteps},
        {"attention-passes", 100, 1, 1e6, "most steps, or passes, that learn departures", kWhole}};
}

std::vector<ChoiceInfo> attention_choices() {
    return {{"embedding",
             "features",
             {"features", "steps", "query"},
             "from the query's features, to the optimum or by AdaGrad as in the paper; or one per "
             "recurring query, by AdaGrad"},
            {"scale",
             "same",
             {"same", "by-query"},
             "whether the fit may scale all scores of a query, which leaves its ranking"}};
}

double attention_loss(const LearnedAttention& learned, const ListObjective& objective,
                      std::size_t i) {
    const std::size_t q = objective.queries()[i];
    const std::size_t count = learned.function.features.size();
    const std::span<const double> features =
        std::span<const double>(objective.set().query_features).subspan(q * count, count);
    std::vector<double> weights =
        attention_weights(learned.function, objective.set().query_key(q), features);
    double heat = 0;
    if (!learned.temper.empty()) {
        heat = dot(standard_features(learned.function, features), learned.temper) +
               learned.temper.back();
    }
    return attention_loss(objective, objective.whole(i), std::move(weights), learned.function.base,
                          false, heat, false)
        .value;
}

std::vector<double> fixed_weights(
    const ListObjective& objective, const AttentionPlan& plan,
    const std::function<void(double, const std::vector<double>&)>& step) {
    std::vector<double> last;
    descend_fixed(objective, plan.fixed, plan.l2,
                  [&](double value, const std::vector<double>& weights) {
                      step(-value, weights);
                      last = weights;
                      return true;
                  });
    // Noise against sums of 0 may have gone below.
    if (plan.fixed.non_negative) cut_below_zero(last, uniform_weights(last.size()));
    return last;
}

void fit_pulls(const ListObjective& objective, const AttentionPlan& plan,
               const std::vector<double>& base, const std::vector<double>& pulls,
               Executor& executor,
               const std::function<void(std::size_t, const LearnedAttention&)>& found) {
    std::vector<std::size_t> order(pulls.size());
    for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return pulls[a] > pulls[b]; });
    AttentionFit whole(objective, base, plan.steps.heats, plan.fixed.non_negative);
    for (const std::size_t p : order) {
        if (plan.by_steps) {
            AttentionOptions options = plan.steps;
            options.shrink = pulls[p];
            AttentionDescent descent(objective, options, base);
            descent.run(goes_on);
            found(p, {descent.function(), descent.temper()});
        } else {
            AttentionFitOptions options = plan.whole;
            options.shrink = pulls[p];
            whole.minimise(options, executor, goes_on);
            found(p, {whole.function(options.dimensions), whole.temper()});
        }
    }
}

LearnedAttention fit_heat(const ListObjective& objective, const AttentionPlan& plan,
                          const std::vector<double>& base, Executor& executor) {
    AttentionFit fit(objective, base, plan.steps.heats, plan.fixed.non_negative);
    AttentionFitOptions options = plan.whole;
    options.only_heat = true;
    if (plan.steps.heats) fit.minimise(options, executor, goes_on);
    return {fit.function(options.dimensions), fit.temper()};
}

std::string fit_attention(const ListObjective& objective, const AttentionPlan& plan,
                          const std::vector<double>& base, Executor& executor,
                          const std::function<bool(double, const AttentionFunction&)>& record) {
    const auto minus = [&](double value, const AttentionFunction& function) {
        return record(-value, function);
    };
    if (plan.by_steps) return AttentionDescent(objective, plan.steps, base).run(minus);
    return AttentionFit(objective, base, plan.steps.heats, plan.fixed.non_negative)
        .minimise(plan.whole, executor, minus);
}

}  // namespace braid
