// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/methods/methods.h"

// Equations are those of docs/algorithms/adarank.md.

namespace braid {
namespace {

using Weights = std::vector<double>;

constexpr std::size_t kRoundsPerSum = 32;

// Of 1 in the sums of (3), which are whole numbers, so that they don't depend on the order of
// queries.
constexpr double kEdgeUnits = 0x1p62;

// Edges that differ by less are equal: what sets them apart is how shares were rounded.
constexpr double kTie = 1e-12;

// The same bits in any order of `values`.
double sum_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// A weak ranker: one column, or one column upside down.
struct WeakRanker {
    std::size_t column;
    double sign;
    std::vector<double> values;  // The measure of each query.
    std::size_t chosen = 0;
    bool is_out = false;
};

class AdaRank {
  public:
    AdaRank(const TrainingMeasure& measure, const AdaRankOptions& options, Executor& executor)
        : measure_(measure),
          options_(options),
          executor_(executor),
          weights_(measure.set().width(), 0),
          scores_(measure.set().rows(), 0),
          values_(measure.queries().size(), 0),
          shares_(values_.size(), 1 / static_cast<double>(values_.size())) {
        const TrainingSet& set = measure.set();
        columns_.resize(set.scores.size());
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            for (std::size_t i = 0; i < set.rows(); ++i) {
                columns_[k * set.rows() + i] = set.scores[i * weights_.size() + k];
            }
            add_weak_ranker(k, 1);
            if (options.reverse) add_weak_ranker(k, -1);
        }
    }

    const Weights& weights() const { return weights_; }

    bool has_choice() const {
        return std::any_of(weak_.begin(), weak_.end(), [&](const auto& w) { return is_free(w); });
    }

    AdaRankRound run() {
        WeakRanker& weak = best();
        AdaRankRound round;
        round.ranker = weak.column;
        round.edge = edge(weak);
        const double step = step_of(round.edge);
        round.step = weak.sign * step;
        weights_[weak.column] += round.step;
        ++weak.chosen;
        const std::vector<double> before = values_;
        rank(weak.column, round.step);
        tighten(weak, step, round.edge, before);
        round.mean = sum_of(values_) / static_cast<double>(values_.size());
        round.bound = 1 - rest_;
        set_aside(weak, round.mean);
        weigh_queries();
        return round;
    }

  private:
    // The ensemble's measures after `step` was added to a column's weight. Sums are made afresh now
    // and then, so that scores are rounded as often as sums over the columns are, about.
    void rank(std::size_t column, double step) {
        const TrainingSet& set = measure_.set();
        const bool is_fresh = ++ranked_ % kRoundsPerSum == 0;
        const std::size_t queries = values_.size();
        const std::size_t chunks = (queries + kQueriesPerChunk - 1) / kQueriesPerChunk;
        executor_.run(chunks, [&](std::size_t chunk) {
            const std::size_t end = std::min(queries, (chunk + 1) * kQueriesPerChunk);
            for (std::size_t i = chunk * kQueriesPerChunk; i < end; ++i) {
                const std::size_t q = measure_.queries()[i];
                const std::size_t begin = set.query_begin[q];
                const std::span<double> scores(scores_.data() + begin, set.pool_size(q));
                if (is_fresh) {
                    weighted_sums(set.query_scores(q), weights_, scores);
                } else {
                    const double* x = columns_.data() + column * set.rows() + begin;
                    for (std::size_t d = 0; d < scores.size(); ++d) scores[d] += step * x[d];
                }
                values_[i] = measure_.of_scores(q, scores);
            }
        });
    }

    void add_weak_ranker(std::size_t column, double sign) {
        const TrainingSet& set = measure_.set();
        WeakRanker weak{column, sign, std::vector<double>(values_.size())};
        executor_.run(values_.size(), [&](std::size_t i) {
            const std::size_t q = measure_.queries()[i];
            const double* x = columns_.data() + column * set.rows() + set.query_begin[q];
            std::vector<double> scores(x, x + set.pool_size(q));
            for (double& score : scores) score *= sign;
            weak.values[i] = measure_.of_scores(q, scores);
        });
        weak_.push_back(std::move(weak));
    }

    bool is_free(const WeakRanker& weak) const {
        return !weak.is_out && (options_.turns == 0 || weak.chosen < options_.turns);
    }

    // Measures are in [0, 1] and shares sum to 1, so that the sum can't overflow.
    double edge(const WeakRanker& weak) const {
        std::int64_t units = 0;
        for (std::size_t i = 0; i < shares_.size(); ++i) {
            units += static_cast<std::int64_t>(kEdgeUnits * shares_[i] * weak.values[i]);
        }
        return static_cast<double>(units) / kEdgeUnits;
    }

    WeakRanker& best() {  // (3)
        WeakRanker* found = nullptr;
        double most = -1;
        for (WeakRanker& weak : weak_) {
            if (!is_free(weak)) continue;
            const double value = edge(weak);
            if (value <= most + kTie) continue;
            found = &weak;
            most = value;
        }
        return *found;
    }

    double step_of(double edge) const {  // (4)
        if (edge >= 1) return options_.longest_step;
        return std::min(0.5 * std::log((1 + edge) / (1 - edge)), options_.longest_step);
    }

    // (7): the round's factor of what is left to 1.
    void tighten(const WeakRanker& weak, double step, double edge, const Weights& before) {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < values_.size(); ++i) {
            least = std::min(least, values_[i] - before[i] - step * weak.values[i]);
        }
        const double chord = (1 + edge) / 2 * std::exp(-step) + (1 - edge) / 2 * std::exp(step);
        rest_ *= std::exp(-least) * chord;
    }

    void set_aside(WeakRanker& chosen, double mean) {
        if (mean - mean_ > options_.tolerance) {
            for (WeakRanker& weak : weak_) weak.is_out = false;
        } else {
            chosen.is_out = true;
        }
        mean_ = mean;
    }

    void weigh_queries() {  // (2)
        for (std::size_t i = 0; i < values_.size(); ++i) shares_[i] = std::exp(-values_[i]);
        const double total = sum_of(shares_);
        for (double& share : shares_) share /= total;
    }

    const TrainingMeasure& measure_;
    AdaRankOptions options_;
    Executor& executor_;
    Weights weights_;
    std::vector<double> columns_;  // The set's scores, column by column.
    std::vector<double> scores_;   // The ensemble's, one a row.
    std::size_t ranked_ = 0;
    std::vector<WeakRanker> weak_;
    std::vector<double> values_;  // The ensemble's; 0 before the first round, see (7).
    std::vector<double> shares_;
    double mean_ = 0;
    double rest_ = 1;
};

TrainingResult fit_adarank(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress& progress) {
    const ParameterMap& parameters = options.parameters;
    const AdaRankOptions settings{static_cast<std::size_t>(parameters.at("rounds")),
                                  static_cast<std::size_t>(parameters.at("turns")),
                                  parameters.at("tolerance"), parameters.at("longest-step"),
                                  options.choices.at("rankers") == "both-ways"};
    const TrainingMeasure measure(set, options.measure, options.judging);
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")),
                       settings.reverse ? WeightSigns::kAny : WeightSigns::kNonNegative);
    ProgressGate gate(progress, "training adarank", "rounds", settings.rounds);
    std::vector<double> bounds;
    const std::string reason =
        run_adarank(measure, settings, executor,
                    [&](const AdaRankRound& round, const std::vector<double>& weights) {
                        gate.step(fmt::format("{} {:.4f}, bound {:.4f}", options.measure,
                                              round.mean, round.bound));
                        bounds.push_back(round.bound);
                        return monitor.record(round.mean, weights);
                    });
    TrainingResult result = monitor.result(measure.measure().name(), reason);
    result.iterations = result.curve.size();
    for (std::size_t i = 0; i < bounds.size() && !options.watched.empty(); ++i) {
        result.curve[i].bound = bounds[i];
    }
    return result;
}

}  // namespace

std::string run_adarank(
    const TrainingMeasure& measure, const AdaRankOptions& options, Executor& executor,
    const std::function<bool(const AdaRankRound&, const std::vector<double>&)>& record) {
    AdaRank boosting(measure, options, executor);
    for (std::size_t round = 0; round < options.rounds; ++round) {
        if (!boosting.has_choice()) return "converged";
        const AdaRankRound done = boosting.run();
        if (!record(done, boosting.weights())) return "no better on the validation part";
    }
    return "iteration limit";
}

LearnerMethod adarank_method() {
    return {.parameters = {{"rounds", 500, 1, 1e6, "rounds at most", kWhole},
                           {"turns", 0, 0, 1e6, "how often one ranker may be chosen; 0: no limit",
                            kWhole},
                           {"tolerance", 0, -1, 1,
                            "a ranker that gains no more than this is excluded until another gains "
                            "more; -1: never, as in the paper"},
                           longest_step_parameter("ranker"),
                           patience_parameter()},
            .choices = {{"rankers",
                         "as-they-are",
                         {"as-they-are", "both-ways"},
                         "whether a ranker may be reversed, for a negative weight"}},
            .grades = GradeUse::kByMeasure,
            .aims_at_measure = true,
            .forms = {"linear", "signed-linear"},
            .may_weigh_negatively = true,
            .non_negative_with = "rankers=as-they-are",
            .fit = fit_adarank};
}

}  // namespace braid
