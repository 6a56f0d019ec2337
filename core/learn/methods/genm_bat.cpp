// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "braid/core/base/newton.h"
#include "braid/core/base/random.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/smooth_measure.h"
#include "braid/core/learn/methods/methods.h"

// Equations are those of docs/algorithms/genm.md.

namespace braid {
namespace {

using Weights = std::vector<double>;

struct BatSettings {
    double l2;
    double tolerance;
    double first_beta;
    double beta;
    std::size_t iterations;
    bool projects;
};

// The ascent from one start, a step at a time.
class Ascent {
  public:
    Ascent(const SmoothMeasure& measure, const BatSettings& settings, Weights start, double beta)
        : measure_(measure), settings_(settings), weights_(std::move(start)), beta_(beta) {
        measure_.set_beta(beta_);
    }

    // Goes up, `steps` times at most, until nothing more is to be had or `monitor` (where there
    // is one) ends the fit.
    void climb(std::size_t steps, Executor& executor, FitMonitor* monitor) {
        if (!is_placed_) place(executor, monitor);
        for (std::size_t i = 0; i < steps && reason_.empty(); ++i) advance(executor, monitor);
    }

    const Weights& weights() const { return weights_; }
    double beta() const { return beta_; }
    const std::string& reason() const { return reason_; }  // "" while there is more to climb.

  private:
    double value(const Weights& weights, Executor& executor) const {
        return measure_.value(weights, executor) - distance_penalty(weights, settings_.l2);
    }

    // (1), (2)
    SmoothPoint point(const Weights& weights, Executor& executor) const {
        SmoothPoint result = measure_.with_hessian(weights, executor);
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

    void place(Executor& executor, FitMonitor* monitor) {
        here_ = point(weights_, executor);
        is_placed_ = true;
        steps_ = 0;
        record(monitor);
    }

    void record(FitMonitor* monitor) {
        if (monitor != nullptr && !monitor->record(here_.value, weights_)) {
            reason_ = "no better on the validation part";
        }
    }

    void advance(Executor& executor, FitMonitor* monitor) {
        Weights next;
        if (steps_ == settings_.iterations) return end("iteration limit", executor, monitor);
        if (!search_line(executor, next)) return end("converged", executor, monitor);
        const double before = here_.value;
        weights_ = next;
        here_ = point(weights_, executor);
        ++steps_;
        record(monitor);
        if (reason_.empty() && here_.value - before <= settings_.tolerance) {
            end("converged", executor, monitor);
        }
    }

    // Of this beta; of the ascent where it was the last one.
    void end(const std::string& reason, Executor& executor, FitMonitor* monitor) {
        if (beta_ >= settings_.beta) {
            reason_ = reason;
            return;
        }
        beta_ = std::min(2 * beta_, settings_.beta);
        measure_.set_beta(beta_);
        place(executor, monitor);
    }

    // (3): halves the step until it gains what the gradient promises, or gives up.
    bool search_line(Executor& executor, Weights& next) const {
        Weights step = ascent_direction(here_.gradient, here_.hessian);
        const double longest = length(weights_) / 2;
        const double size = length(step);
        if (!(size > 0) || !std::isfinite(size)) return false;
        double factor = std::min(1.0, longest / size);
        for (int halvings = 0; halvings < 25; ++halvings, factor /= 2) {
            next = weights_;
            double promised = 0;
            for (std::size_t k = 0; k < next.size(); ++k) {
                next[k] += factor * step[k];
                if (settings_.projects) next[k] = std::max(next[k], 0.0);
                promised += here_.gradient[k] * (next[k] - weights_[k]);
            }
            if (length(next) > 0 &&
                value(next, executor) > here_.value + 1e-4 * std::max(promised, 0.0)) {
                return true;
            }
        }
        return false;
    }

    SmoothMeasure measure_;  // A copy: each ascent has its own beta.
    BatSettings settings_;
    Weights weights_;
    double beta_;
    SmoothPoint here_;
    bool is_placed_ = false;
    std::size_t steps_ = 0;  // At this beta.
    std::string reason_;
};

BatSettings settings_of(const LearnerOptions& options) {
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

// `count` of the queries at random, in order; all where there are no more.
std::vector<std::size_t> sampled(std::vector<std::size_t> queries, std::size_t count,
                                 std::uint64_t seed) {
    if (count == 0 || queries.size() <= count) return queries;
    Random random(seed, 1);
    random.shuffle(queries);
    queries.resize(count);
    std::sort(queries.begin(), queries.end());
    return queries;
}

double cosine(const Weights& a, const Weights& b) {
    const double lengths = length(a) * length(b);
    return lengths > 0 ? std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / lengths : 0;
}

// All ascents of one fit: some steps of each on some of the queries, then the best to their end.
class Ascents {
  public:
    Ascents(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
            const Progress& progress)
        : options_(options),
          settings_(settings_of(options)),
          executor_(executor),
          smooth_(set, smooth_options(options), options.judging),
          exact_(set, options.measure, options.judging),
          starts_(binary_starts(set.width(), parameter("starts"), options.seed)),
          ascents_(starts_.size()),
          gate_(progress, "training genm-bat", "ascents", ascents_to_report()) {
        for (std::size_t s = 0; s < starts_.size(); ++s) {
            monitors_.emplace_back(options, parameter("patience"));
        }
    }

    TrainingResult run() {
        std::vector<std::size_t> chosen(starts_.size());
        std::iota(chosen.begin(), chosen.end(), std::size_t{0});
        if (parameter("screening") > 0) chosen = screen();
        finish(chosen);
        return choose(chosen);
    }

  private:
    std::size_t parameter(const char* name) const {
        return static_cast<std::size_t>(options_.parameters.at(name));
    }

    // Of the screening and of the end.
    std::size_t ascents_to_report() const {
        if (parameter("screening") == 0) return starts_.size();
        return starts_.size() + std::min(starts_.size(), parameter("finalists"));
    }

    // Returns the starts that are best after a few steps, but for those that have come to the
    // same place as a better one.
    std::vector<std::size_t> screen() {
        const std::vector<std::size_t> queries =
            sampled(smooth_.queries(), parameter("sample"), options_.seed);
        const bool is_sample = queries.size() < smooth_.queries().size();
        SmoothMeasure some = smooth_;
        some.restrict_to(queries);
        std::vector<double> worths(starts_.size(), 0);
        executor_.run(starts_.size(), [&](std::size_t s) {
            const auto serial = make_executor(1);
            auto ascent =
                std::make_unique<Ascent>(some, settings_, starts_[s], settings_.first_beta);
            ascent->climb(parameter("screening"), *serial, is_sample ? nullptr : &monitors_[s]);
            const LinearFunction function{servable(ascent->weights())};
            for (const std::size_t q : queries) worths[s] += exact_.of_query(q, function);
            if (is_sample) {
                ascent =
                    std::make_unique<Ascent>(smooth_, settings_, ascent->weights(), ascent->beta());
            }
            ascents_[s] = std::move(ascent);
            gate_.step("");
        });
        return best_of(worths);
    }

    std::vector<std::size_t> best_of(const std::vector<double>& worths) const {
        std::vector<std::size_t> order(worths.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return worths[a] > worths[b]; });
        std::vector<std::size_t> chosen;
        for (const std::size_t s : order) {
            if (chosen.size() == parameter("finalists")) break;
            const bool is_new = std::none_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
                return cosine(servable(ascents_[s]->weights()),
                              servable(ascents_[other]->weights())) > kSamePlace;
            });
            if (is_new) chosen.push_back(s);
        }
        return chosen;
    }

    // Threads share an ascent's queries where there are many, and otherwise take an ascent each.
    void finish(const std::vector<std::size_t>& chosen) {
        const auto one = [&](std::size_t s, Executor& executor) {
            if (ascents_[s] == nullptr) {
                ascents_[s] =
                    std::make_unique<Ascent>(smooth_, settings_, starts_[s], settings_.first_beta);
            }
            while (ascents_[s]->reason().empty()) {
                ascents_[s]->climb(1, executor, &monitors_[s]);
                gate_.check();
            }
            gate_.step(fmt::format("{} {:.4f}", smooth_.name(), monitors_[s].kept_objective()));
        };
        if (smooth_.queries().size() >= kManyQueries) {
            for (const std::size_t s : chosen) one(s, executor_);
            return;
        }
        executor_.run(chosen.size(), [&](std::size_t i) {
            const auto serial = make_executor(1);
            one(chosen[i], *serial);
        });
    }

    TrainingResult choose(const std::vector<std::size_t>& chosen) {
        std::size_t best = chosen.front();
        double best_worth = -1;
        for (const std::size_t s : chosen) {
            const double worth = options_.validation != nullptr
                                     ? monitors_[s].kept_validation()
                                     : exact_.mean(LinearFunction{monitors_[s].kept()}, executor_);
            if (worth <= best_worth) continue;
            best = s;
            best_worth = worth;
        }
        TrainingResult result = monitors_[best].result(smooth_.name(), ascents_[best]->reason());
        for (const std::size_t s : chosen) {
            if (chosen.size() > 1) result.starts.push_back({starts_[s], monitors_[s].curve()});
        }
        return result;
    }

    static constexpr double kSamePlace = 1 - 1e-7;
    static constexpr std::size_t kManyQueries = 256;

    const LearnerOptions& options_;
    BatSettings settings_;
    Executor& executor_;
    SmoothMeasure smooth_;
    TrainingMeasure exact_;
    std::vector<Weights> starts_;
    std::vector<FitMonitor> monitors_;
    std::vector<std::unique_ptr<Ascent>> ascents_;
    ProgressGate gate_;
};

TrainingResult fit_genm_bat(const TrainingSet& set, const LearnerOptions& options,
                            Executor& executor, const Progress& progress) {
    return Ascents(set, options, executor, progress).run();
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

ChoiceInfo start_choice(std::string usual) {
    return {"start",
            std::move(usual),
            {"uniform", "anchor", "zero-one"},
            "where to start: uniform weights, the anchor, or every zero-one vector in turn (2017)"};
}

ParameterInfo starts_parameter() {
    return {"starts",
            64,
            1,
            1e5,
            "zero-one vectors to start from; up to 6 rankers, all of them (2017)",
            kWhole,
            "start=zero-one"};
}

std::vector<std::vector<double>> chosen_starts(const LearnerOptions& options, std::size_t rankers) {
    const std::string& start = options.choices.at("start");
    if (start == "anchor") return {anchor_weights(options, rankers)};
    if (start == "uniform") return {uniform_weights(rankers)};
    return binary_starts(rankers, static_cast<std::size_t>(options.parameters.at("starts")),
                         options.seed);
}

namespace {

double worth_of_start(const TrainingSet& set, const LearnerOptions& options,
                      const TrainingResult& result, Executor& executor) {
    const TrainingSet& judge = options.validation != nullptr ? *options.validation : set;
    return TrainingMeasure(judge, options.measure, options.judging).mean(result.function, executor);
}

}  // namespace

TrainingResult best_fit_from(
    const std::vector<std::vector<double>>& starts, const TrainingSet& set,
    const LearnerOptions& options, Executor& executor,
    const std::function<TrainingResult(const std::vector<double>& start)>& fit) {
    BestOfStarts best;
    for (const std::vector<double>& start : starts) {
        TrainingResult result = fit(start);
        const double worth = starts.size() > 1 ? worth_of_start(set, options, result, executor) : 0;
        best.take(start, std::move(result), worth);
    }
    return std::move(best).best();
}

LearnerMethod genm_bat_method() {
    return {
        .parameters = joined(
            {smooth_parameters(),
             {{"starts", 64, 1, 1e5,
               "zero-one vectors to start from; up to 6 rankers, all of them (2017)", kWhole},
              {"screening", 5, 0, 1e6, "steps of each start before screening; 0: no screening",
               kWhole},
              {"finalists", 4, 1, 1e5, "starts that continue after screening", kWhole},
              {"sample", 256, 0, 1e9, "most queries used in screening; 0: all", kWhole},
              {"iterations", 50, 1, 1e6, "Newton steps per start and beta", kWhole},
              {"tolerance", 1e-6, 0, 1, "stop after a step that gains no more than this (2017: 0)"},
              {"first-beta", 0, 0, 1e9, "first beta, doubled up to `beta`; 0: start at `beta`"},
              l2_parameter(),
              patience_parameter()}}),
        .choices = {aim_choice(),
                    {"negative",
                     "clip",
                     {"clip", "project"},
                     "negative weights become 0 at the end (2017), or in each step"}},
        .fit = fit_genm_bat};
}

}  // namespace braid
