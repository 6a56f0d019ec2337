// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/attention_solver.h"

#include <algorithm>
#include <cmath>

#include "braid/core/base/vector_sums.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/solvers/attention_fit.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {

// Equations are those of docs/algorithms/list-loss.md.

namespace {

double squares(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return sum;
}

}  // namespace

AttentionDescent::AttentionDescent(const ListObjective& objective, const AttentionOptions& options,
                                   std::vector<double> base)
    : objective_(objective),
      options_(options),
      random_(options.descent.seed, 2),
      ranker_steps_(base.size() * options.dimensions, options.descent.rate),
      matrix_steps_(
          options.by_query ? 0 : options.dimensions * objective.set().query_feature_names.size(),
          options.descent.rate),
      offset_steps_(options.dimensions, options.descent.rate) {
    function_.base = std::move(base);
    function_.dimensions = options.dimensions;
    function_.non_negative = options.non_negative;
    if (!options.by_query) describe_queries(objective.set(), function_);
    start();
}

void AttentionDescent::start() {
    const std::size_t dimensions = options_.dimensions;
    const auto draw = [&](std::size_t count) {
        std::vector<double> values(count);
        for (double& value : values) value = 0.1 * random_.normal();
        return values;
    };
    // Weights begin at the base: one of two factors at 0 is enough, and the other must not be.
    function_.rankers.assign(function_.base.size() * dimensions, 0);
    function_.matrix = draw(dimensions * function_.features.size());
    function_.offset.assign(dimensions, 0);
    for (const std::size_t q : objective_.queries()) {
        if (options_.by_query) {
            const std::string& key = objective_.set().query_key(q);
            function_.known[key] = draw(dimensions);
            own_steps_.try_emplace(key, dimensions, options_.descent.rate);
        } else {
            const std::size_t count = function_.features.size();
            const std::span<const double> all = objective_.set().query_features;
            standard_.push_back(standard_features(function_, all.subspan(q * count, count)));
        }
    }
}

std::vector<double> AttentionDescent::place_of(std::size_t i) const {
    if (options_.by_query) {
        return function_.known.at(objective_.set().query_key(objective_.queries()[i]));
    }
    std::vector<double> place = function_.offset;
    const std::vector<double>& features = standard_[i];
    for (std::size_t row = 0; row < place.size(); ++row) {
        for (std::size_t f = 0; f < features.size(); ++f) {
            place[row] += function_.matrix[row * features.size() + f] * features[f];
        }
    }
    return place;
}

std::vector<double> AttentionDescent::weights_of(const std::vector<double>& place) const {
    std::vector<double> weights = function_.base;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        for (std::size_t row = 0; row < place.size(); ++row) {
            weights[k] += function_.rankers[k * place.size() + row] * place[row];
        }
    }
    return weights;
}

double AttentionDescent::value(std::size_t i, const ListObjective::Query& query,
                               Gradient* gradient) const {
    const std::vector<double> place = place_of(i);
    const double shrink = options_.shrink;
    const AttentionLoss loss = attention_loss(objective_, query, weights_of(place), function_.base,
                                              options_.non_negative, gradient != nullptr);
    const double value = loss.value + shrink / 2 * (squares(function_.rankers) + squares(place));
    if (gradient == nullptr) return value;
    const std::size_t dimensions = place.size();
    gradient->place.assign(dimensions, 0);
    gradient->rankers.resize(function_.rankers.size());
    for (std::size_t k = 0; k < loss.slopes.size(); ++k) {  // (13)
        for (std::size_t row = 0; row < dimensions; ++row) {
            const double p = function_.rankers[k * dimensions + row];
            gradient->place[row] += loss.slopes[k] * p;
            gradient->rankers[k * dimensions + row] = loss.slopes[k] * place[row] + shrink * p;
        }
    }
    for (std::size_t row = 0; row < dimensions; ++row) gradient->place[row] += shrink * place[row];
    gradient->matrix.clear();
    if (options_.by_query) return value;
    for (std::size_t row = 0; row < dimensions; ++row) {
        for (const double feature : standard_[i]) {
            gradient->matrix.push_back(gradient->place[row] * feature);
        }
    }
    return value;
}

// Algorithm 1, lines 4 to 9: diversity divides by the sum of weights.
void AttentionDescent::disturb(std::size_t i) {
    while (objective_.options().diversity > 0 && sums_to_nothing(weights_of(place_of(i)))) {
        for (double& part : function_.base) part += 1e-3 * random_.normal();
    }
}

void AttentionDescent::learn(std::size_t i, const ListObjective::Query& query) {
    disturb(i);
    Gradient gradient;
    value(i, query, &gradient);
    ranker_steps_.step(function_.rankers, gradient.rankers);
    if (options_.by_query) {
        const std::string& key = objective_.set().query_key(objective_.queries()[i]);
        own_steps_.at(key).step(function_.known.at(key), gradient.place);
    } else {
        matrix_steps_.step(function_.matrix, gradient.matrix);
        offset_steps_.step(function_.offset, gradient.place);
    }
}

double AttentionDescent::mean() const {
    double sum = 0;
    for (std::size_t i = 0; i < objective_.queries().size(); ++i) {
        sum += value(i, objective_.whole(i), nullptr);
    }
    const auto count = static_cast<double>(objective_.queries().size());
    return count > 0 ? sum / count : 0;
}

std::string AttentionDescent::run(
    const std::function<bool(double, const AttentionFunction&)>& record) {
    return descend(
        objective_, options_.descent,
        [&](std::size_t i, const ListObjective::Query& query) { learn(i, query); },
        [&] {
            for (std::size_t i = 0; i < objective_.queries().size(); ++i) disturb(i);
            return mean();
        },
        [&](double value) { return record(value, function_); });
}

namespace {

// The values of "embedding" that AttentionDescent learns.
constexpr const char* kSteps = "embedding=steps|query";

// Fixed weights, the base, converge long before.
constexpr std::size_t kFixedPasses = 300;

}  // namespace

AttentionPlan attention_plan(const LearnerOptions& options) {
    const ParameterMap& parameters = options.parameters;
    AttentionPlan plan;
    plan.list = list_options(options);
    plan.fixed = {.passes = kFixedPasses,
                  .tolerance = parameters.at("tolerance"),
                  .seed = options.seed,
                  .non_negative = signs_of(options.choices) == WeightSigns::kNonNegative};
    plan.l2 = parameters.at("l2");
    const std::string& embedding = options.choices.at("embedding");
    plan.by_steps = embedding != "features";
    const auto dimensions = static_cast<std::size_t>(parameters.at("dimensions"));
    const auto passes = static_cast<std::size_t>(parameters.at("passes"));
    plan.steps = {.dimensions = dimensions,
                  .by_query = embedding == "query",
                  .non_negative = plan.fixed.non_negative,
                  .descent = plan.fixed};
    plan.steps.descent.rate = parameters.at("rate");
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
        {"passes", 100, 1, 1e6, "most steps, or passes, that learn departures", kWhole},
        {"rate", 0.01, 1e-9, 1e3, "AdaGrad's first step, tau (0.01)", !kWhole, kSteps},
        {"tolerance", 1e-5, 0, 1,
         "stop after a pass that changes less of the objective, or a step that lowers it by less; "
         "for fixed weights by less than a hundredth of this"}};
}

ChoiceInfo embedding_choice() {
    return {"embedding",
            "features",
            {"features", "steps", "query"},
            "from the query's features, to the optimum or by AdaGrad as in the paper; or one per "
            "recurring query, by AdaGrad"};
}

double attention_loss(const AttentionFunction& learned, const ListObjective& objective,
                      std::size_t i) {
    const std::size_t q = objective.queries()[i];
    const std::size_t count = learned.features.size();
    const std::span<const double> features =
        std::span<const double>(objective.set().query_features).subspan(q * count, count);
    std::vector<double> weights =
        attention_weights(learned, objective.set().query_key(q), features);
    return attention_loss(objective, objective.whole(i), std::move(weights), learned.base, false,
                          false)
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
               const std::function<void(std::size_t, const AttentionFunction&)>& found) {
    std::vector<std::size_t> order(pulls.size());
    for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return pulls[a] > pulls[b]; });
    AttentionFit fit(objective, base, plan.fixed.non_negative);
    for (const std::size_t p : order) {
        AttentionFitOptions options = plan.whole;
        options.shrink = pulls[p];
        fit.minimise(options, executor, [](double, const AttentionFunction&) { return true; });
        found(p, fit.function(options.dimensions));
    }
}

std::string fit_attention(const ListObjective& objective, const AttentionPlan& plan,
                          const std::vector<double>& base, Executor& executor,
                          const std::function<bool(double, const AttentionFunction&)>& record) {
    const auto minus = [&](double value, const AttentionFunction& function) {
        return record(-value, function);
    };
    if (plan.by_steps) return AttentionDescent(objective, plan.steps, base).run(minus);
    return AttentionFit(objective, base, plan.fixed.non_negative)
        .minimise(plan.whole, executor, minus);
}

}  // namespace braid
