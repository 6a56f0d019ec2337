// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "braid/core/learners/fit_monitor.h"
#include "braid/core/learners/line_sweep.h"

namespace braid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kQueriesPerChunk = 16;
constexpr std::size_t kStepsAtOnce = 1 << 20;
// Values closer than this are one value, added up in another order.
constexpr double kSame = 1e-12;

struct Range {
    double begin;
    double end;
};

// Where all weights are at least 0.
Range servable_range(std::span<const double> weights, std::span<const double> direction) {
    Range range = {-kInfinity, kInfinity};
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const double zero = -weights[k] / direction[k];
        if (direction[k] > 0) range.begin = std::max(range.begin, zero);
        if (direction[k] < 0) range.end = std::min(range.end, zero);
    }
    return range;
}

// A number well inside an interval.
double middle(double begin, double end) {
    if (begin == -kInfinity && end == kInfinity) return 0;
    if (begin == -kInfinity) return end - std::max(1.0, std::abs(end));
    if (end == kInfinity) return begin + std::max(1.0, std::abs(begin));
    return begin + (end - begin) / 2;
}

class Search {
  public:
    Search(const TrainingMeasure& measure, std::span<const std::size_t> queries,
           std::span<const double> weights, std::span<const double> direction,
           const LineSearchOptions& options, Executor& executor)
        : measure_(measure),
          queries_(queries),
          weights_(weights),
          direction_(direction),
          options_(options),
          executor_(executor) {}

    LineMaximum run() {
        Range range = {-kInfinity, kInfinity};
        if (!options_.allow_negative) range = servable_range(weights_, direction_);
        best_.value = -kInfinity;
        if (!(range.begin < range.end)) return best_;
        double begin = range.begin;
        for (const double cut : cuts(range)) {
            scan({begin, cut});
            begin = cut;
        }
        scan({begin, range.end});
        return best_;
    }

  private:
    // Where to cut the line so that no part has many more than kStepsAtOnce steps: quantiles of
    // the steps of some queries.
    std::vector<double> cuts(const Range& range) const {
        const std::size_t sampled = std::min<std::size_t>(queries_.size(), 32);
        std::vector<LineStep> steps;
        LineSweep sweep(measure_);
        for (std::size_t i = 0; i < sampled; ++i) {
            const std::size_t q = queries_[i * queries_.size() / sampled];
            sweep.sweep(q, weights_, direction_, range.begin, range.end, steps);
        }
        sort_steps(steps);
        const std::size_t parts =
            steps.size() * queries_.size() / std::max<std::size_t>(sampled, 1) / kStepsAtOnce + 1;
        std::vector<double> result;
        for (std::size_t p = 1; p < parts; ++p) {
            const double cut = steps[p * steps.size() / parts].at;
            if (result.empty() || cut > result.back()) result.push_back(cut);
        }
        return result;
    }

    void scan(const Range& range) {
        const std::size_t chunks = (queries_.size() + kQueriesPerChunk - 1) / kQueriesPerChunk;
        std::vector<std::vector<LineStep>> parts(chunks);
        std::vector<double> starts(chunks, 0);
        executor_.run(chunks, [&](std::size_t chunk) {
            LineSweep sweep(measure_);
            const std::size_t end = std::min(queries_.size(), (chunk + 1) * kQueriesPerChunk);
            for (std::size_t i = chunk * kQueriesPerChunk; i < end; ++i) {
                starts[chunk] += sweep.sweep(queries_[i], weights_, direction_, range.begin,
                                             range.end, parts[chunk]);
            }
        });
        std::vector<LineStep> steps;
        double sum = 0;
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            sum += starts[chunk];
            steps.insert(steps.end(), parts[chunk].begin(), parts[chunk].end());
            parts[chunk] = {};
        }
        sort_steps(steps);
        double begin = range.begin;
        for (std::size_t i = 0; i < steps.size();) {
            const double at = steps[i].at;
            consider({begin, at}, sum);
            for (; i < steps.size() && steps[i].at == at; ++i) sum += steps[i].change;
            begin = at;
        }
        consider({begin, range.end}, sum);
    }

    void consider(const Range& interval, double sum) {
        const double width = interval.end - interval.begin;
        const double at = middle(interval.begin, interval.end);
        // Too narrow to be told from its ends by scores that are rounded themselves.
        if (!(width > 1e-11 * (1 + std::abs(at)))) return;
        double value = sum / static_cast<double>(queries_.size());
        if (options_.l2 > 0) value -= penalty(at);
        const bool is_same = std::abs(value - best_.value) <= kSame;
        if (is_same ? width <= best_width_ : value < best_.value) return;
        best_ = {at, value};
        best_width_ = width;
    }

    double penalty(double at) const {
        std::vector<double> point(weights_.begin(), weights_.end());
        for (std::size_t k = 0; k < point.size(); ++k) point[k] += at * direction_[k];
        scale_to_sum_one(point);
        return distance_penalty(point, options_.l2);
    }

    const TrainingMeasure& measure_;
    std::span<const std::size_t> queries_;
    std::span<const double> weights_;
    std::span<const double> direction_;
    LineSearchOptions options_;
    Executor& executor_;
    LineMaximum best_;
    double best_width_ = 0;
};

}  // namespace

LineMaximum search_line(const TrainingMeasure& measure, std::span<const std::size_t> queries,
                        std::span<const double> weights, std::span<const double> direction,
                        const LineSearchOptions& options, Executor& executor) {
    return Search(measure, queries, weights, direction, options, executor).run();
}

}  // namespace braid
