// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/line_search.h"

namespace braid {
namespace {

using Weights = std::vector<double>;

struct CoordinateSettings {
    LineSearchOptions line;
    std::size_t restarts;
    std::size_t directions;
    std::size_t cycles;
    double tolerance;
    std::uint64_t seed;
};

CoordinateSettings settings_of(const LearnerOptions& options) {
    const ParameterMap& parameters = options.parameters;
    return {{.l2 = parameters.at("l2")},
            static_cast<std::size_t>(parameters.at("restarts")),
            static_cast<std::size_t>(parameters.at("directions")),
            static_cast<std::size_t>(parameters.at("cycles")),
            parameters.at("tolerance"),
            options.seed};
}

// The ascent on the mean over some queries.
class CoordinateAscent {
  public:
    CoordinateAscent(const TrainingMeasure& measure, std::vector<std::size_t> queries,
                     const CoordinateSettings& settings, Executor& executor)
        : measure_(measure),
          queries_(std::move(queries)),
          settings_(settings),
          executor_(executor) {}

    // After each cycle calls `record`, which says whether to go on. Returns why it stopped.
    template <typename Record>
    std::string run(Weights weights, std::size_t start, ProgressGate& gate, const Record& record) {
        Random random(settings_.seed, start);
        double here = evaluate(weights, scores_);
        if (!record(here, weights)) return "no better on the validation part";
        for (std::size_t cycle = 0; cycle < settings_.cycles; ++cycle) {
            const double before = here;
            for (const Weights& direction : directions(random, weights.size())) {
                step(weights, direction, here);
                gate.check();
            }
            if (!record(here, weights)) return "no better on the validation part";
            if (here - before <= settings_.tolerance) return "converged";
        }
        return "iteration limit";
    }

  private:
    // Every ranker, in random order, and then mixed directions whose components sum to about 0.
    std::vector<Weights> directions(Random& random, std::size_t width) const {
        std::vector<Weights> result;
        std::vector<std::size_t> order(width);
        std::iota(order.begin(), order.end(), std::size_t{0});
        random.shuffle(order);
        for (const std::size_t k : order) {
            result.emplace_back(width, 0);
            result.back()[k] = 1;
        }
        for (std::size_t i = 0; i < settings_.directions && width > 1; ++i) {
            Weights direction(width);
            for (double& part : direction) part = random.normal();
            const double mean = std::accumulate(direction.begin(), direction.end(), 0.0) /
                                static_cast<double>(width);
            for (double& part : direction) part -= mean;
            result.push_back(direction);
        }
        return result;
    }

    // Goes to the line's maximum where that, evaluated afresh, is better.
    void step(Weights& weights, const Weights& direction, double& here) {
        LineSearchOptions options = settings_.line;
        options.worth = here;
        options.scores = scores_;
        const LineMaximum maximum =
            search_line(measure_, queries_, weights, direction, options, executor_);
        if (!(maximum.value > here + 1e-12)) return;
        Weights next = weights;
        for (std::size_t k = 0; k < next.size(); ++k) next[k] += maximum.at * direction[k];
        next = servable(next);
        const double there = evaluate(next, next_scores_);
        if (there <= here) return;
        weights = next;
        here = there;
        scores_.swap(next_scores_);
    }

    // The objective. `scores` become those of the queries' rows, if these are all queries there
    // are; one query's would not be worth room for all rows.
    double evaluate(const Weights& weights, std::vector<double>& scores) const {
        const TrainingSet& set = measure_.set();
        const bool keeps_scores = queries_.size() == measure_.queries().size();
        if (keeps_scores) scores.resize(set.rows());
        std::vector<double> values(queries_.size());
        const std::size_t chunks = (queries_.size() + kQueriesPerChunk - 1) / kQueriesPerChunk;
        executor_.run(chunks, [&](std::size_t chunk) {
            std::vector<double> own;
            const std::size_t end = std::min(queries_.size(), (chunk + 1) * kQueriesPerChunk);
            for (std::size_t i = chunk * kQueriesPerChunk; i < end; ++i) {
                const std::size_t q = queries_[i];
                if (!keeps_scores) own.resize(set.pool_size(q));
                const auto part =
                    keeps_scores ? std::span(scores).subspan(set.query_begin[q], set.pool_size(q))
                                 : std::span(own);
                weighted_sums(set.query_scores(q), weights, part);
                values[i] = measure_.of_scores(q, part);
            }
        });
        return std::accumulate(values.begin(), values.end(), 0.0) /
                   static_cast<double>(values.size()) -
               distance_penalty(weights, settings_.line.l2);
    }

    const TrainingMeasure& measure_;
    std::vector<std::size_t> queries_;
    CoordinateSettings settings_;
    Executor& executor_;
    std::vector<double> scores_;  // At the weights where the ascent is, or none.
    std::vector<double> next_scores_;
};

// Uniform first, then points drawn evenly from the simplex.
Weights start_of(std::size_t start, std::size_t width, std::uint64_t seed) {
    if (start == 0) return uniform_weights(width);
    Random random(seed, 1000 + start);
    Weights result(width);
    for (double& weight : result) weight = -std::log(1 - random.uniform());
    return servable(result);
}

TrainingResult fit_coordinate(const TrainingSet& set, const LearnerOptions& options,
                              Executor& executor, const Progress& progress) {
    const TrainingMeasure measure(set, options.measure, options.judging);
    const CoordinateSettings settings = settings_of(options);
    const auto patience = static_cast<std::size_t>(options.parameters.at("patience"));
    ProgressGate gate(progress, "training coordinate", "cycles",
                      (settings.restarts + 1) * (settings.cycles + 1));
    CoordinateAscent ascent(measure, measure.queries(), settings, executor);
    TrainingResult best;
    double best_worth = 0;
    for (std::size_t start = 0; start <= settings.restarts; ++start) {
        FitMonitor monitor(options, patience);
        const std::string reason =
            ascent.run(start_of(start, set.width(), settings.seed), start, gate,
                       [&](double objective, const Weights& weights) {
                           gate.step(fmt::format("{} {:.4f}", options.measure, objective));
                           return monitor.record(objective, weights);
                       });
        const double worth =
            options.validation != nullptr ? monitor.kept_validation() : monitor.kept_objective();
        if (start > 0 && worth <= best_worth) continue;
        best_worth = worth;
        best = monitor.result(measure.measure().name(), reason);
    }
    return best;
}

}  // namespace

QueryOracle find_query_oracle(const TrainingSet& set, const LearnerOptions& options,
                              Executor& executor, const Progress& progress) {
    validate(set);
    const CoordinateSettings settings =
        settings_of(resolve_options(learners().find("coordinate"), options));
    const TrainingMeasure measure(set, options.measure, options.judging);
    QueryOracle oracle;
    oracle.queries = measure.queries();
    oracle.weights.resize(oracle.queries.size());
    oracle.values.assign(oracle.queries.size(), -1);
    ProgressGate gate(progress, "finding each query's best weights", "queries",
                      oracle.queries.size());
    executor.run(oracle.queries.size(), [&](std::size_t i) {
        const auto serial = make_executor(1);
        CoordinateAscent ascent(measure, {oracle.queries[i]}, settings, *serial);
        for (std::size_t start = 0; start <= settings.restarts; ++start) {
            ascent.run(start_of(start, set.width(), settings.seed), start, gate,
                       [&](double, const Weights& weights) {
                           const double value =
                               measure.of_query(oracle.queries[i], LinearFunction{weights});
                           if (value > oracle.values[i]) {
                               oracle.values[i] = value;
                               oracle.weights[i] = weights;
                           }
                           return true;
                       });
        }
        gate.step("");
    });
    for (const double value : oracle.values) {
        oracle.mean += value / static_cast<double>(oracle.values.size());
    }
    return oracle;
}

LearnerMethod coordinate_method() {
    return {
        .parameters = {{"restarts", 2, 0, 1e5, "random starts besides the uniform one", kWhole},
                       {"directions", 2, 0, 1e5, "random directions per cycle", kWhole},
                       {"cycles", 20, 1, 1e5, "cycles through the rankers from one start", kWhole},
                       {"tolerance", 1e-4, 0, 1, "stop after a cycle that gains no more than this"},
                       l2_parameter(),
                       patience_parameter()},
        .grades = GradeUse::kByMeasure,
        .aims_at_measure = true,
        .fit = fit_coordinate};
}

}  // namespace braid
