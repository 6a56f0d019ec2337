// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/solvers/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "braid/core/learners/fitting/fit_monitor.h"
#include "braid/core/learners/solvers/line_sweep.h"

namespace braid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kQueriesPerChunk = 16;
// Fewer and larger parts of the queries: each has all buckets.
constexpr std::size_t kQueriesPerFill = 64;
constexpr std::size_t kBuckets = 4096;
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
        const std::vector<double> cuts = cuts_of(range);
        if (cuts.empty()) {
            scan(range);
        } else {
            scan_promising(range, cuts);
        }
        return best_;
    }

  private:
    // Between two cuts: the steps with cut < at <= next cut.
    struct Bucket {
        double change = 0;
        double gain = 0;  // The sum of the changes above 0.
        std::size_t steps = 0;
    };

    // Where the line is cut into buckets, at quantiles of the steps of some queries; none where
    // all steps can be looked at together.
    std::vector<double> cuts_of(const Range& range) const {
        const std::size_t sampled = std::min<std::size_t>(queries_.size(), 32);
        std::vector<LineStep> steps;
        LineSweep sweep(measure_);
        for (std::size_t i = 0; i < sampled; ++i) {
            const std::size_t q = queries_[i * queries_.size() / sampled];
            sweep.sweep(q, weights_, direction_, range.begin, range.end, steps);
        }
        std::vector<double> cuts;
        if (sampled == 0 || steps.size() / sampled * queries_.size() <= options_.steps_at_once) {
            return cuts;
        }
        sort_steps(steps);
        const std::size_t buckets = std::min(kBuckets, steps.size());
        for (std::size_t b = 1; b < buckets; ++b) {
            const double cut = steps[b * steps.size() / buckets].at;
            if (cuts.empty() || cut > cuts.back()) cuts.push_back(cut);
        }
        return cuts;
    }

    // Adds up the queries' steps by bucket; returns the sum just after `range.begin`.
    double fill(const Range& range, const std::vector<double>& cuts,
                std::vector<Bucket>& buckets) const {
        const std::size_t chunks = (queries_.size() + kQueriesPerFill - 1) / kQueriesPerFill;
        std::vector<std::vector<Bucket>> parts(chunks, std::vector<Bucket>(cuts.size() + 1));
        std::vector<double> starts(chunks, 0);
        executor_.run(chunks, [&](std::size_t chunk) {
            LineSweep sweep(measure_);
            std::vector<LineStep> steps;
            const std::size_t end = std::min(queries_.size(), (chunk + 1) * kQueriesPerFill);
            for (std::size_t i = chunk * kQueriesPerFill; i < end; ++i) {
                steps.clear();
                starts[chunk] +=
                    sweep.sweep(queries_[i], weights_, direction_, range.begin, range.end, steps);
                std::size_t at = 0;
                for (const LineStep& step : steps) {
                    while (at < cuts.size() && step.at > cuts[at]) ++at;
                    parts[chunk][at].change += step.change;
                    parts[chunk][at].gain += std::max(0.0, step.change);
                    ++parts[chunk][at].steps;
                }
            }
        });
        buckets.assign(cuts.size() + 1, {});
        for (const std::vector<Bucket>& part : parts) {
            for (std::size_t b = 0; b < part.size(); ++b) {
                buckets[b].change += part[b].change;
                buckets[b].gain += part[b].gain;
                buckets[b].steps += part[b].steps;
            }
        }
        return std::accumulate(starts.begin(), starts.end(), 0.0);
    }

    // (2): scans the buckets that may hold the maximum, as many at once as memory allows.
    void scan_promising(const Range& range, const std::vector<double>& cuts) {
        std::vector<Bucket> buckets;
        double sum = fill(range, cuts, buckets);
        const auto count = static_cast<double>(queries_.size());
        std::vector<double> bounds;
        double floor = options_.worth;
        for (const Bucket& bucket : buckets) {
            bounds.push_back((sum + bucket.gain) / count);
            // With a penalty what a cut is worth is not known yet.
            if (options_.l2 == 0) floor = std::max(floor, sum / count);
            sum += bucket.change;
        }
        if (options_.l2 == 0) floor = std::max(floor, sum / count);
        const auto is_promising = [&](std::size_t b) { return bounds[b] >= floor - 1e-9; };
        for (std::size_t b = 0; b < buckets.size(); ++b) {
            if (!is_promising(b)) continue;
            std::size_t last = b;
            std::size_t steps = buckets[b].steps;
            for (std::size_t next = b + 1; next < buckets.size(); ++next) {
                steps += buckets[next].steps;
                if (steps > options_.steps_at_once) break;
                if (is_promising(next)) last = next;
            }
            scan({b == 0 ? range.begin : cuts[b - 1],
                  last + 1 == buckets.size() ? range.end : cuts[last]});
            b = last;
        }
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
