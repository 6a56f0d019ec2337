// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/convex_learner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/solvers/bundle.h"
#include "braid/core/learn/solvers/quasi_newton.h"

namespace braid {

// Equations are those of docs/algorithms/bundle.md.

namespace {

using Weights = std::vector<double>;

struct Point {
    Weights weights;
    std::vector<double> scores;
    std::vector<double> slopes;
    Weights gradient;
    double objective = 0;
};

class Descent {
  public:
    Descent(const LinearRisk& risk, double c, bool non_negative)
        : risk_(risk), c_(c), non_negative_(non_negative) {
        here_.weights.assign(risk.width(), 0);
        here_.scores.assign(risk.rows(), 0);
        here_.slopes.resize(risk.rows());
        evaluate(here_);
        find_gradient(here_);
    }

    const Point& here() const { return here_; }

    // (11): a lower bound of the objective everywhere.
    double bound() const {
        double least = here_.objective;
        for (std::size_t k = 0; k < here_.weights.size(); ++k) {
            double step = -here_.gradient[k];
            if (non_negative_) step = std::max(step, -here_.weights[k]);
            least += step * (here_.gradient[k] + step / 2);
        }
        return least;
    }

    // False where nothing better was found.
    bool step() {
        Weights direction = quasi_newton();
        if (dot(direction, here_.gradient) >= 0) {
            memory_.clear();
            direction = quasi_newton();
        }
        if (move_along(direction)) return true;
        if (memory_.empty()) return false;
        memory_.clear();
        return move_along(quasi_newton());
    }

  private:
    void evaluate(Point& point) const {
        const double risk = risk_.value(point.scores, point.slopes);
        point.objective = 0.5 * dot(point.weights, point.weights) + c_ * risk;
    }

    void find_gradient(Point& point) const {
        point.gradient = risk_.gradient(point.slopes);
        for (std::size_t k = 0; k < point.gradient.size(); ++k) {
            point.gradient[k] = point.weights[k] + c_ * point.gradient[k];
        }
    }

    Weights quasi_newton() const {
        return descent_direction(memory_, here_.weights, here_.gradient, non_negative_);
    }

    // (12): a step that lowers the objective enough and leaves at most half the slope.
    bool move_along(const Weights& direction) {
        const double first_slope = dot(direction, here_.gradient);
        const double longest = longest_step(here_.weights, direction, non_negative_);
        if (!(first_slope < 0) || longest == 0) return false;
        const std::vector<double> rise = risk_.scores(direction);
        LengthSearch search(here_.objective, first_slope, longest);
        Point next = here_;
        for (std::size_t i = 0; i < LengthSearch::kTries; ++i) {
            next.weights = here_.weights;
            next.scores = here_.scores;
            add_multiple(search.length(), direction, next.weights);
            add_multiple(search.length(), rise, next.scores);
            evaluate(next);
            const bool is_lower = search.is_lower(next.objective);
            const double slope = dot(next.weights, direction) + c_ * dot(next.slopes, rise);
            if (is_lower && search.is_long(slope)) return arrive(std::move(next));
            search.narrow(is_lower);
        }
        return next.objective < here_.objective && arrive(std::move(next));
    }

    bool arrive(Point next) {
        if (non_negative_) cut_rounding(next.weights);
        find_gradient(next);
        memory_.add(here_.weights, here_.gradient, next.weights, next.gradient);
        here_ = std::move(next);
        return true;
    }

    const LinearRisk& risk_;
    double c_;
    bool non_negative_;
    Point here_;
    CurvatureMemory memory_;
};

}  // namespace

BundleState minimise_smooth(const LinearRisk& risk, const BundleOptions& options, bool non_negative,
                            const std::function<bool(const BundleState&)>& record) {
    Descent descent(risk, options.c, non_negative);
    BundleState state;
    while (true) {
        state.weights = descent.here().weights;
        state.objective = descent.here().objective;
        state.bound = std::max(state.bound, descent.bound());
        state.converged = state.objective - state.bound <= options.tolerance * state.objective;
        if (record && !record(state)) return state;
        if (state.converged || state.iterations == options.iterations) return state;
        if (!descent.step()) return state;
        ++state.iterations;
    }
}

std::vector<ParameterInfo> convex_parameters(double c) {
    return {{"c", c, 1e-9, 1e12, "weight of the loss against 1/2 |w|^2"},
            {"tolerance", 1e-3, 1e-12, 1,
             "stop at this relative distance of the objective from its minimum"},
            {"iterations", 1000, 1, 1e6, "steps at most", kWhole},
            patience_parameter()};
}

LearnerMethod convex_learner(LearnerMethod method, double c) {
    method.choices.push_back(weights_choice());
    method.parameters = convex_parameters(c);
    method.forms = {"linear", "signed-linear"};
    method.may_weigh_negatively = true;
    method.non_negative_with = kNonNegativeWeights;
    return method;
}

ChoiceInfo pair_loss_choice() {
    return {"loss",
            "squared",
            {"hinge", "squared"},
            "loss of a pair less than 1 apart: the shortfall, or its square"};
}

BundleOptions bundle_options(const LearnerOptions& options) {
    const ParameterMap& parameters = options.parameters;
    return {parameters.at("c"), parameters.at("tolerance"),
            static_cast<std::size_t>(parameters.at("iterations"))};
}

TrainingResult fit_convex(const std::string& learner, const std::string& objective,
                          const TrainingSet& set, const ScoreLoss& loss,
                          const LearnerOptions& options, Executor& executor,
                          const Progress& progress) {
    const ParameterMap& parameters = options.parameters;
    const WeightSigns signs = signs_of(options.choices);
    const BundleOptions settings = bundle_options(options);
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")), signs);
    ProgressGate gate(progress, "training " + learner, "iterations", settings.iterations + 1);
    const LinearRisk risk(set, loss, executor);
    const bool non_negative = signs == WeightSigns::kNonNegative;
    bool goes_on = true;
    const auto record = [&](const BundleState& state) {
        gate.step(fmt::format("objective {:.6g}, least {:.6g}", state.objective, state.bound));
        goes_on = monitor.record(state.objective, state.weights);
        return goes_on;
    };
    const BundleState end = loss.is_smooth()
                                ? minimise_smooth(risk, settings, non_negative, record)
                                : Bundle(risk, non_negative).minimise(settings, {}, record);
    std::string reason = end.converged                           ? "converged"
                         : end.iterations == settings.iterations ? "iteration limit"
                                                                 : "no better step";
    if (!goes_on) reason = "no better on the validation part";
    TrainingResult result = monitor.result(objective, reason);
    result.bound = end.bound;
    return result;
}

}  // namespace braid
