// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/genm_bat.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "braid/core/learners/fit_monitor.h"
#include "braid/core/learners/newton.h"
#include "braid/core/learners/smooth_parameters.h"

// Equations are those of docs/algorithms/genm.md.

namespace braid {
namespace {

using Weights = std::vector<double>;

struct Settings {
    double l2;
    double tolerance;
    double first_beta;
    double beta;
    std::size_t iterations;
    bool projects;
};

// The ascent from one start.
class Ascent {
  public:
    Ascent(const SmoothMeasure& measure, const Settings& settings, FitMonitor& monitor)
        : measure_(measure), settings_(settings), monitor_(monitor), serial_(make_executor(1)) {}

    std::string run(Weights weights, ProgressGate& gate) {
        std::string reason = "iteration limit";
        double beta = settings_.first_beta;
        bool is_open = true;
        while (is_open) {
            measure_.set_beta(beta);
            reason = climb(weights, is_open);
            is_open = is_open && beta < settings_.beta;
            beta = std::min(2 * beta, settings_.beta);
        }
        gate.step(fmt::format("{} {:.4f}", measure_.name(), monitor_.kept_objective()));
        return reason;
    }

  private:
    double value(const Weights& weights) const {
        return measure_.value(weights, *serial_) - distance_penalty(weights, settings_.l2);
    }

    // (1), (2)
    SmoothPoint point(const Weights& weights) const {
        SmoothPoint result = measure_.with_hessian(weights, *serial_);
        const std::size_t width = weights.size();
        result.value -= distance_penalty(weights, settings_.l2);
        for (std::size_t k = 0; k < width; ++k) {
            result.gradient[k] -= settings_.l2 * (weights[k] - 1 / static_cast<double>(width));
            result.hessian[k * width + k] -= settings_.l2;
        }
        if (settings_.projects) hold_at_zero(weights, result);
        return result;
    }

    // Weights that are 0 and would become negative don't take part in the step.
    static void hold_at_zero(const Weights& weights, SmoothPoint& point) {
        const std::size_t width = weights.size();
        for (std::size_t k = 0; k < width; ++k) {
            if (weights[k] > 0 || point.gradient[k] > 0) continue;
            point.gradient[k] = 0;
            for (std::size_t l = 0; l < width; ++l) {
                point.hessian[k * width + l] = point.hessian[l * width + k] = 0;
            }
        }
    }

    // Goes up until nothing more is to be had at this beta. `is_open` turns false where the
    // monitor ends the fit.
    std::string climb(Weights& weights, bool& is_open) {
        SmoothPoint here = point(weights);
        is_open = monitor_.record(here.value, weights);
        for (std::size_t i = 0; i < settings_.iterations; ++i) {
            if (!is_open) return "no better on the validation part";
            Weights next;
            if (!search_line(weights, here, next)) return "converged";
            const double before = here.value;
            weights = next;
            here = point(weights);
            is_open = monitor_.record(here.value, weights);
            if (here.value - before <= settings_.tolerance) return "converged";
        }
        return "iteration limit";
    }

    // (3): halves the step until it gains what the gradient promises, or gives up.
    bool search_line(const Weights& weights, const SmoothPoint& here, Weights& next) const {
        Weights step = ascent_direction(here.gradient, here.hessian);
        const double longest = length(weights) / 2;
        const double size = length(step);
        if (!(size > 0) || !std::isfinite(size)) return false;
        double factor = std::min(1.0, longest / size);
        for (int halvings = 0; halvings < 25; ++halvings, factor /= 2) {
            next = weights;
            double promised = 0;
            for (std::size_t k = 0; k < next.size(); ++k) {
                next[k] += factor * step[k];
                if (settings_.projects) next[k] = std::max(next[k], 0.0);
                promised += here.gradient[k] * (next[k] - weights[k]);
            }
            if (length(next) > 0 && value(next) > here.value + 1e-4 * std::max(promised, 0.0)) {
                return true;
            }
        }
        return false;
    }

    SmoothMeasure measure_;  // A copy: each start has its own beta.
    Settings settings_;
    FitMonitor& monitor_;
    std::unique_ptr<Executor> serial_;
};

Settings settings_of(const LearnerOptions& options) {
    const ParameterMap& parameters = options.parameters;
    const double beta = parameters.at("beta");
    const double first = parameters.at("first-beta");
    return {parameters.at("l2"),
            parameters.at("tolerance"),
            first > 0 ? std::min(first, beta) : beta,
            beta,
            static_cast<std::size_t>(parameters.at("iterations")),
            options.choices.at("negative") == "project"};
}

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    const SmoothMeasure smooth(set, smooth_options(options), options.judging);
    const TrainingMeasure exact(set, options.measure, options.judging);
    const std::vector<Weights> starts = binary_starts(
        set.width(), static_cast<std::size_t>(options.parameters.at("starts")), options.seed);
    const auto patience = static_cast<std::size_t>(options.parameters.at("patience"));
    std::vector<FitMonitor> monitors;
    for (std::size_t s = 0; s < starts.size(); ++s) monitors.emplace_back(options, patience);
    std::vector<std::string> reasons(starts.size());
    std::vector<double> worths(starts.size());
    ProgressGate gate(progress, "training genm-bat", "starts", starts.size());
    executor.run(starts.size(), [&](std::size_t s) {
        reasons[s] = Ascent(smooth, settings_of(options), monitors[s]).run(starts[s], gate);
        worths[s] = options.validation != nullptr ? monitors[s].kept_validation()
                                                  : exact.mean(LinearFunction{monitors[s].kept()});
    });
    const auto best =
        static_cast<std::size_t>(std::max_element(worths.begin(), worths.end()) - worths.begin());
    return monitors[best].result(smooth.name(), reasons[best]);
}

}  // namespace

std::vector<std::vector<double>> binary_starts(std::size_t rankers, std::size_t count,
                                               std::uint64_t seed) {
    std::set<std::vector<double>> seen;
    std::vector<std::vector<double>> starts;
    const auto add = [&](const std::vector<double>& start) {
        if (starts.size() < count && seen.insert(start).second) starts.push_back(start);
    };
    add(std::vector<double>(rankers, 1));
    for (std::size_t k = 0; k < rankers; ++k) {
        std::vector<double> single(rankers, 0);
        single[k] = 1;
        add(single);
    }
    const bool takes_all = rankers < 20 && (std::size_t{1} << rankers) - 1 <= count;
    for (std::size_t bits = 1; takes_all && bits < std::size_t{1} << rankers; ++bits) {
        std::vector<double> start(rankers);
        for (std::size_t k = 0; k < rankers; ++k) start[k] = static_cast<double>(bits >> k & 1);
        add(start);
    }
    Random random(seed);
    while (!takes_all && starts.size() < count) {
        std::vector<double> start(rankers);
        for (double& weight : start) weight = static_cast<double>(random.below(2));
        if (std::count(start.begin(), start.end(), 1) > 0) add(start);
    }
    for (std::vector<double>& start : starts) scale_to_sum_one(start);
    return starts;
}

LearnerInfo genm_bat_info() {
    std::vector<ParameterInfo> parameters = smooth_parameters();
    parameters.insert(
        parameters.end(),
        {{"starts", 64, 1, 1e5, "zero-one vectors to start from; all, up to 6 rankers (2017)"},
         {"iterations", 50, 1, 1e6, "Newton steps from one start, for each beta"},
         {"tolerance", 1e-6, 0, 1, "a step that gains no more ends the ascent (2017: 0)"},
         {"first-beta", 0, 0, 1e9, "where beta begins, to be doubled up to `beta`; 0: there"},
         l2_parameter(),
         patience_parameter()});
    return {.name = "genm-bat",
            .summary = "Newton's method on a smooth measure, from many starts",
            .source = "Wang, Choi, Liu 2017 (gEnM.BAT)",
            .parameters = parameters,
            .choices = {aim_choice(),
                        {"negative",
                         "clip",
                         {"clip", "project"},
                         "negative weights become 0 at the end (2017), or in each step"}},
            .fit = fit};
}

}  // namespace braid
