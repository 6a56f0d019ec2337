// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/solvers/line_sweep.h"

namespace braid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Fewer and larger parts of the queries: each has all buckets.
constexpr std::size_t kQueriesPerFill = 64;
// Queries that the cuts are chosen by.
constexpr std::size_t kSampled = 16;
constexpr std::size_t kCrossingsPerBucket = 16;
constexpr std::size_t kLeastBuckets = 64;
constexpr std::size_t kMostBuckets = 1024;
// What sums are taken to be inexact by where a part of the line is left out.
constexpr double kSlack = 1e-9;
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

// a and b of the documents of some queries: scores and their change along the line.
class Line {
  public:
    Line(const TrainingSet& set, std::span<const std::size_t> queries,
         std::span<const double> weights, std::span<const double> direction,
         std::span<const double> scores, Executor& executor)
        : set_(set), queries_(queries), scores_(scores) {
        for (const std::size_t q : queries) begin_.push_back(begin_.back() + set.pool_size(q));
        if (scores.empty()) bases_.resize(begin_.back());
        slopes_.resize(begin_.back());
        const std::size_t chunks = (queries.size() + kQueriesPerChunk - 1) / kQueriesPerChunk;
        executor.run(chunks, [&](std::size_t chunk) {
            const std::size_t end = std::min(queries.size(), (chunk + 1) * kQueriesPerChunk);
            for (std::size_t i = chunk * kQueriesPerChunk; i < end; ++i) {
                const std::span<const double> rows = set.query_scores(queries[i]);
                if (scores.empty()) weighted_sums(rows, weights, part(bases_, i));
                find_slopes(rows, direction, part(slopes_, i));
            }
        });
    }

    /// Of the query that is the `i`th one.
    std::span<const double> bases(std::size_t i) const {
        if (scores_.empty()) return part(bases_, i);
        return scores_.subspan(set_.query_begin[queries_[i]], set_.pool_size(queries_[i]));
    }
    std::span<const double> slopes(std::size_t i) const { return part(slopes_, i); }

  private:
    // Along one ranker a slope is its score, which the sum would give as well.
    static void find_slopes(std::span<const double> rows, std::span<const double> direction,
                            std::span<double> slopes) {
        const auto is_zero = [](double part) { return part == 0; };
        const auto first = std::find_if_not(direction.begin(), direction.end(), is_zero);
        if (first == direction.end() || !std::all_of(first + 1, direction.end(), is_zero)) {
            weighted_sums(rows, direction, slopes);
            return;
        }
        const auto k = static_cast<std::size_t>(first - direction.begin());
        for (std::size_t d = 0; d < slopes.size(); ++d) {
            slopes[d] = *first * rows[d * direction.size() + k];
        }
    }

    std::span<double> part(std::vector<double>& numbers, std::size_t i) const {
        return std::span(numbers).subspan(begin_[i], begin_[i + 1] - begin_[i]);
    }
    std::span<const double> part(const std::vector<double>& numbers, std::size_t i) const {
        return std::span(numbers).subspan(begin_[i], begin_[i + 1] - begin_[i]);
    }

    const TrainingSet& set_;
    std::span<const std::size_t> queries_;
    std::span<const double> scores_;
    std::vector<std::size_t> begin_ = {0};
    std::vector<double> bases_;
    std::vector<double> slopes_;
};

template <typename Sweep>
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
          executor_(executor),
          line_(measure.set(), queries, weights, direction, options.scores, executor) {}

    LineMaximum run() {
        Range range = {-kInfinity, kInfinity};
        if (!options_.allow_negative) range = servable_range(weights_, direction_);
        best_.value = -kInfinity;
        std::size_t narrowed_by = narrowing_queries();
        while (range.begin < range.end) {
            const std::vector<double> cuts = cuts_of(range);
            if (cuts.empty()) {
                scan(range, nullptr, 0);
                break;
            }
            const LineCuts all(range.begin, range.end, cuts);
            if (narrowed_by > queries_.size() / 2) {
                scan_promising(all);
                break;
            }
            range = narrowed(all, narrowed_by);
            narrowed_by *= 4;
        }
        return best_;
    }

  private:
    void load(Sweep& sweep, std::size_t i, const Range& range) const {
        sweep.load(queries_[i], line_.bases(i), line_.slopes(i), range.begin, range.end);
    }

    struct Buckets {
        double start = 0;  // The sum just after the first one's begin.
        std::vector<LineBucket> parts;
        std::vector<std::uint64_t> touched;  // One a query.
    };

    // Where the line is cut into buckets, at quantiles of the crossings of some queries; none where
    // all can be looked at together.
    std::vector<double> cuts_of(const Range& range) const {
        const std::size_t sampled = std::min(queries_.size(), kSampled);
        std::vector<LineStep> places;
        std::vector<double> found;
        std::size_t crossings = 0;
        Sweep sweep(measure_);
        for (std::size_t i = 0; i < sampled; ++i) {
            load(sweep, i * queries_.size() / sampled, range);
            crossings += sweep.find_places(found);
        }
        std::vector<double> cuts;
        if (sampled == 0) return cuts;
        const std::size_t a_query = crossings / sampled;
        const std::size_t most_at_once = std::min(options_.steps_at_once, options_.few_steps);
        if (a_query * queries_.size() <= most_at_once) return cuts;
        places.reserve(found.size());
        for (const double at : found) places.push_back({at, 0});
        sort_steps(places);
        const std::size_t buckets = std::min(
            std::clamp(a_query / kCrossingsPerBucket, kLeastBuckets, kMostBuckets), places.size());
        for (std::size_t b = 1; b < buckets; ++b) {
            const double cut = places[b * places.size() / buckets].at;
            if (cut < range.end && (cuts.empty() || cut > cuts.back())) cuts.push_back(cut);
        }
        return cuts;
    }

    // Of `count` queries, evenly from all.
    Buckets fill(const LineCuts& cuts, std::size_t count) const {
        const Range range = {cuts.begin(0), cuts.end(cuts.buckets() - 1)};
        const std::size_t chunks = (count + kQueriesPerFill - 1) / kQueriesPerFill;
        std::vector<std::vector<LineBucket>> parts(chunks);
        std::vector<double> starts(chunks, 0);
        Buckets result;
        result.touched.assign(count, 0);
        executor_.run(chunks, [&](std::size_t chunk) {
            Sweep sweep(measure_);
            parts[chunk].resize(cuts.buckets());
            const std::size_t end = std::min(count, (chunk + 1) * kQueriesPerFill);
            for (std::size_t i = chunk * kQueriesPerFill; i < end; ++i) {
                load(sweep, i * queries_.size() / count, range);
                starts[chunk] += sweep.fill(cuts, parts[chunk], result.touched[i]);
            }
        });
        result.parts.resize(cuts.buckets());
        for (const std::vector<LineBucket>& part : parts) {
            for (std::size_t b = 0; b < part.size(); ++b) {
                result.parts[b].change += part[b].change;
                result.parts[b].gain += part[b].gain;
                result.parts[b].steps += part[b].steps;
            }
        }
        result.start = std::accumulate(starts.begin(), starts.end(), 0.0);
        return result;
    }

    // What all queries together may lack of 1 each where the line is of interest.
    double most_lack() const {
        return static_cast<double>(queries_.size()) * (1 - options_.worth) + kSlack;
    }

    // So few that they lack more than that where they lack a quarter each; more than there are
    // where nothing can be said.
    std::size_t narrowing_queries() const {
        if (!Sweep::kAtMostOne || options_.l2 > 0 || options_.worth == -kInfinity) {
            return queries_.size();
        }
        return std::max(kSampled, static_cast<std::size_t>(4 * most_lack()));
    }

    // From the first to the last bucket that may have what is worth it, by what some queries
    // lack there. Empty where none may.
    Range narrowed(const LineCuts& cuts, std::size_t count) const {
        const Buckets buckets = fill(cuts, count);
        Range range = {kInfinity, -kInfinity};
        double sum = buckets.start;
        for (std::size_t b = 0; b < buckets.parts.size(); ++b) {
            if (static_cast<double>(count) - (sum + buckets.parts[b].gain) <= most_lack()) {
                range.begin = std::min(range.begin, cuts.begin(b));
                range.end = cuts.end(b);
            }
            sum += buckets.parts[b].change;
        }
        return range;
    }

    // (2): scans the buckets that may hold the maximum, as many at once as memory allows.
    void scan_promising(const LineCuts& cuts) {
        const Buckets buckets = fill(cuts, queries_.size());
        const auto count = static_cast<double>(queries_.size());
        std::vector<double> sums = {buckets.start};
        for (const LineBucket& bucket : buckets.parts) sums.push_back(sums.back() + bucket.change);
        double floor = options_.worth;
        // With a penalty what a cut is worth is not known yet.
        if (options_.l2 == 0) {
            floor = std::max(floor, *std::max_element(sums.begin(), sums.end()) / count);
        }
        const auto is_promising = [&](std::size_t b) {
            return (sums[b] + buckets.parts[b].gain) / count >= floor - kSlack;
        };
        for (std::size_t b = 0; b < buckets.parts.size(); ++b) {
            if (!is_promising(b)) continue;
            std::size_t last = b;
            std::size_t steps = buckets.parts[b].steps;
            std::uint64_t bits = bucket_bit(b, buckets.parts.size());
            for (std::size_t next = b + 1; next < buckets.parts.size(); ++next) {
                steps += buckets.parts[next].steps;
                if (steps > options_.steps_at_once || !is_promising(next)) break;
                last = next;
                bits |= bucket_bit(next, buckets.parts.size());
            }
            std::vector<std::size_t> touched;
            for (std::size_t i = 0; i < queries_.size(); ++i) {
                if ((buckets.touched[i] & bits) != 0) touched.push_back(i);
            }
            scan({cuts.begin(b), cuts.end(last)}, &touched, sums[b]);
            b = last;
        }
    }

    // Every interval of the range. With `touched` only these queries' rankings change in it, and
    // the sum where it begins is known.
    void scan(const Range& range, const std::vector<std::size_t>* touched, double start) {
        const std::size_t count = touched == nullptr ? queries_.size() : touched->size();
        const std::size_t chunks = (count + kQueriesPerChunk - 1) / kQueriesPerChunk;
        std::vector<std::vector<LineStep>> parts(chunks);
        std::vector<double> starts(chunks, 0);
        executor_.run(chunks, [&](std::size_t chunk) {
            Sweep sweep(measure_);
            const std::size_t end = std::min(count, (chunk + 1) * kQueriesPerChunk);
            for (std::size_t i = chunk * kQueriesPerChunk; i < end; ++i) {
                load(sweep, touched == nullptr ? i : (*touched)[i], range);
                starts[chunk] += sweep.sweep(parts[chunk]);
            }
        });
        std::vector<LineStep> steps;
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            steps.insert(steps.end(), parts[chunk].begin(), parts[chunk].end());
            parts[chunk] = {};
        }
        double sum =
            touched == nullptr ? std::accumulate(starts.begin(), starts.end(), 0.0) : start;
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
    Line line_;
    LineMaximum best_;
    double best_width_ = 0;
};

}  // namespace

LineMaximum search_line(const TrainingMeasure& measure, std::span<const std::size_t> queries,
                        std::span<const double> weights, std::span<const double> direction,
                        const LineSearchOptions& options, Executor& executor) {
    if (measure.is_plain_map()) {
        return Search<PrecisionSweep>(measure, queries, weights, direction, options, executor)
            .run();
    }
    return Search<LineSweep>(measure, queries, weights, direction, options, executor).run();
}

}  // namespace braid
