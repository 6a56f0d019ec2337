// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/line_sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "braid/core/base/place_sort.h"

namespace braid {

LineCuts::LineCuts(double begin, double end, const std::vector<double>& cuts) : end_(end) {
    const double last = std::min(end, std::numeric_limits<double>::max());
    // Cells are narrow near the origin and wider beyond: a line's crossings have long tails.
    origin_ = cuts.empty() ? std::max(begin, -last) : cuts.front();
    scale_ = cuts.empty() ? last - origin_ : cuts[cuts.size() / 2] - origin_;
    if (scale_ == 0) scale_ = std::min(1.0, last - origin_);
    first_ = (std::bit_cast<std::int64_t>(scale_) >> kShift) - 1;
    cuts_.push_back(begin);
    for (const double cut : cuts) {
        if (cell(cut) > cell(cuts_.back()) && cell(cut) < cell(last)) cuts_.push_back(cut);
    }
    cuts_.push_back(last);  // Places at infinity are beyond an infinite end.
    least_.assign(kCells, 0);
    std::size_t passed = 0;
    for (std::size_t c = 0; c < least_.size(); ++c) {
        while (passed < cuts_.size() && cell(cuts_[passed]) < c) ++passed;
        least_[c] = static_cast<std::uint16_t>(passed);
    }
    cuts_.push_back(std::numeric_limits<double>::infinity());
}

namespace {

constexpr std::uint32_t kOther = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void sort_steps(std::vector<LineStep>& steps) {
    std::vector<LineStep> room;
    sort_by_place(steps, room);
}

void LineSweep::load(std::size_t query, std::span<const double> bases,
                     std::span<const double> slopes, double begin, double end) {
    query_ = query;
    begin_ = begin;
    end_ = end;
    bases_ = bases;
    slopes_ = slopes;
    choose_tracked();
}

void LineSweep::choose_tracked() {
    tracked_ = measure_.tracked(query_);
    tracked_at_.assign(bases_.size(), kOther);
    for (std::uint32_t j = 0; j < tracked_.size(); ++j) tracked_at_[tracked_[j]] = j;
}

// Whether a pair crosses in the interval, and who is ahead just after its begin, both follow from
// the same number, so that they can't disagree.
void LineSweep::find_crossings() {
    const std::span<const std::uint32_t> ties = measure_.tie_order(query_);
    crossings_.clear();
    positions_.assign(tracked_.size(), 0);
    for (std::uint32_t j = 0; j < tracked_.size(); ++j) {
        const std::uint32_t d = tracked_[j];
        for (std::uint32_t e = 0; e < bases_.size(); ++e) {
            const std::uint32_t other = tracked_at_[e];
            if (other != kOther && other <= j) continue;
            const double steeper = slopes_[d] - slopes_[e];
            bool is_ahead;
            if (steeper == 0) {
                is_ahead = bases_[d] != bases_[e] ? bases_[d] > bases_[e] : ties[d] < ties[e];
            } else {
                const double at = (bases_[e] - bases_[d]) / steeper;
                const bool is_to_come = at > begin_;
                is_ahead = (steeper < 0) == is_to_come;
                if (is_to_come && at <= end_ && at < std::numeric_limits<double>::infinity()) {
                    crossings_.push_back(steeper > 0 ? Crossing{at, j, other}
                                                     : Crossing{at, other, j});
                }
            }
            if (!is_ahead) {
                ++positions_[j];
            } else if (other != kOther) {
                ++positions_[other];
            }
        }
    }
}

std::size_t LineSweep::find_places(std::vector<double>& places) {
    find_crossings();
    for (const Crossing& crossing : crossings_) places.push_back(crossing.at);
    return crossings_.size();
}

void LineSweep::start_ranking() {
    touched_.clear();
    ranked_.assign(bases_.size(), measure_.background(query_));
    for (std::size_t j = 0; j < tracked_.size(); ++j) {
        ranked_[positions_[j]] = measure_.set().query_grades(query_)[tracked_[j]];
    }
    placed_ = positions_;
    value_ = measure_.measure().evaluate({ranked_, measure_.pool(query_)}, measure_.scale(query_));
}

void LineSweep::move(std::uint32_t tracked, std::uint32_t position) {
    touched_.push_back(tracked);
    positions_[tracked] = position;
}

void LineSweep::pass(const Crossing& crossing) {
    if (crossing.rising != kOther) move(crossing.rising, positions_[crossing.rising] - 1);
    if (crossing.falling != kOther) move(crossing.falling, positions_[crossing.falling] + 1);
}

double LineSweep::value_after_moves() {
    std::size_t best = ranked_.size();
    for (const std::uint32_t j : touched_) {
        best = std::min<std::size_t>({best, placed_[j], positions_[j]});
        ranked_[placed_[j]] = measure_.background(query_);
    }
    for (const std::uint32_t j : touched_) {
        ranked_[positions_[j]] = measure_.set().query_grades(query_)[tracked_[j]];
        placed_[j] = positions_[j];
    }
    touched_.clear();
    if (best >= measure_.measure().depth()) return value_;
    return measure_.measure().evaluate({ranked_, measure_.pool(query_)}, measure_.scale(query_));
}

double LineSweep::sweep(std::vector<LineStep>& steps) {
    if (bases_.empty()) return 0;
    find_crossings();
    sort_by_place(crossings_, sorted_);
    start_ranking();
    const double start = value_;
    for (std::size_t i = 0; i < crossings_.size();) {
        const double at = crossings_[i].at;
        // Between documents that cross in one point there is no interval to be in.
        for (; i < crossings_.size() && crossings_[i].at == at; ++i) pass(crossings_[i]);
        const double value = value_after_moves();
        if (value != value_) steps.push_back({at, value - value_});
        value_ = value;
    }
    return start;
}

double LineSweep::fill(const LineCuts& cuts, std::span<LineBucket> buckets,
                       std::uint64_t& touched) {
    steps_.clear();
    const double start = sweep(steps_);
    std::size_t at = 0;
    for (const LineStep& step : steps_) {
        while (step.at > cuts.end(at)) ++at;
        buckets[at].change += step.change;
        buckets[at].gain += std::max(0.0, step.change);
        ++buckets[at].steps;
        touched |= bucket_bit(at, buckets.size());
    }
    return start;
}

// Equations are those of docs/algorithms/coordinate.md.

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMargin = 1e-9;
constexpr std::size_t kMostPlaces = 1 << 15;
constexpr std::uint64_t kUp = 1;
constexpr std::uint64_t kDown = std::uint64_t{1} << 32;

// 1 for NaN and 0 for numbers, by integers alone.
std::uint64_t nan_bit(double value) {
    constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
    return (kInfinityBits - bits) >> 63;
}

// What is nearly sorted already.
template <typename IsBefore>
void insertion_sort(std::vector<std::uint32_t>& items, const IsBefore& is_before) {
    for (std::size_t i = 1; i < items.size(); ++i) {
        const std::uint32_t item = items[i];
        std::size_t to = i;
        for (; to > 0 && is_before(item, items[to - 1]); --to) items[to] = items[to - 1];
        items[to] = item;
    }
}

}  // namespace

void PrecisionSweep::load(std::size_t query, std::span<const double> bases,
                          std::span<const double> slopes, double begin, double end) {
    query_ = query;
    scale_ = measure_.scale(query);
    begin_ = begin;
    end_ = end;
    const std::span<const std::uint32_t> tracked = measure_.tracked(query);
    relevant_.assign(tracked.begin(), tracked.end());
    relevant_bases_.resize(relevant_.size());
    relevant_slopes_.resize(relevant_.size());
    for (std::size_t j = 0; j < relevant_.size(); ++j) {
        relevant_bases_[j] = bases[relevant_[j]];
        relevant_slopes_[j] = slopes[relevant_[j]];
    }
    ahead_.resize(relevant_.size());
    take_others(bases, slopes);
    for (std::size_t n = inverses_.size(); n <= bases.size(); ++n) {
        inverses_.push_back(1 / static_cast<double>(n));
    }
    steeper_.resize(others_.size());
    places_.resize(others_.size());
}

// Scores are linear in t, so between two ends they are between those there. The margin is far above
// what rounding does to a crossing.
void PrecisionSweep::take_others(std::span<const double> bases, std::span<const double> slopes) {
    const bool is_bounded = begin_ > -kInfinity && end_ < kInfinity;
    const double begin = is_bounded ? begin_ : 0;
    const double end = is_bounded ? end_ : 0;
    double least = kInfinity;
    double most = -kInfinity;
    double size = 0;
    for (std::size_t j = 0; j < relevant_.size(); ++j) {
        const double first = relevant_bases_[j] + begin * relevant_slopes_[j];
        const double last = relevant_bases_[j] + end * relevant_slopes_[j];
        least = std::min({least, first, last});
        most = std::max({most, first, last});
        size = std::max({size, std::abs(relevant_bases_[j]), std::abs(first), std::abs(last)});
    }
    least = is_bounded ? least - kMargin * size : -kInfinity;
    most = is_bounded ? most + kMargin * size : kInfinity;
    others_.resize(bases.size());
    bases_.resize(bases.size());
    slopes_.resize(bases.size());
    first_ = 0;
    std::size_t count = 0;
    std::size_t next = 0;
    for (std::uint32_t d = 0; d < bases.size(); ++d) {
        if (next < relevant_.size() && relevant_[next] == d) {
            ++next;
            continue;
        }
        const double first = bases[d] + begin * slopes[d];
        const double last = bases[d] + end * slopes[d];
        const double own = kMargin * (std::abs(bases[d]) + std::abs(first) + std::abs(last));
        const bool is_ahead = std::min(first, last) - own > most;
        const bool is_between = !is_ahead && std::max(first, last) + own >= least;
        first_ += is_ahead ? 1 : 0;
        others_[count] = d;
        bases_[count] = bases[d];
        slopes_[count] = slopes[d];
        count += is_between ? 1 : 0;
    }
    others_.resize(count);
    bases_.resize(count);
    slopes_.resize(count);
}

// Where a document and each of the others cross, and how many are ahead of it just after begin.
// Both follow from the same number, so that they can't disagree.
std::uint32_t PrecisionSweep::cross(std::uint32_t relevant) {
    const double base = relevant_bases_[relevant];
    const double slope = relevant_slopes_[relevant];
    const double begin = std::max(begin_, -std::numeric_limits<double>::max());
    const double* bases = bases_.data();
    const double* slopes = slopes_.data();
    double* steeper = steeper_.data();
    double* places = places_.data();
    std::uint64_t ahead = 0;
    std::uint64_t never = 0;
    for (std::size_t i = 0; i < others_.size(); ++i) {
        // Parallel ones cross at infinity, of either sign: + 0.0 makes 0 of -0.
        const double difference = slope - slopes[i] + 0.0;
        const double at = (bases[i] - base) / difference;
        steeper[i] = difference;
        places[i] = at;
        // Ahead are those that it will pass, and those that have passed it. Signs, not
        // comparisons, for the compiler takes several at once then.
        ahead +=
            (std::bit_cast<std::uint64_t>(begin - at) ^ std::bit_cast<std::uint64_t>(difference)) >>
            63;
        never += nan_bit(at);
    }
    return first_ + (never == 0 ? static_cast<std::uint32_t>(ahead) : ahead_with_ties(relevant));
}

// Where some documents have the same a and b.
std::uint32_t PrecisionSweep::ahead_with_ties(std::uint32_t relevant) {
    const std::span<const std::uint32_t> ties = measure_.tie_order(query_);
    std::uint32_t ahead = 0;
    for (std::size_t i = 0; i < others_.size(); ++i) {
        bool is_ahead = (places_[i] > begin_) == (steeper_[i] >= 0);
        if (std::isnan(places_[i])) {
            places_[i] = -kInfinity;
            is_ahead = ties[others_[i]] < ties[relevant_[relevant]];
        }
        ahead += is_ahead ? 1 : 0;
    }
    return ahead;
}

// Of evenly chosen relevant documents.
std::size_t PrecisionSweep::find_places(std::vector<double>& places) {
    const std::size_t stride = 1 + relevant_.size() * others_.size() / kMostPlaces;
    const std::size_t before = places.size();
    for (std::size_t j = 0; j < relevant_.size(); j += stride) {
        cross(static_cast<std::uint32_t>(j));
        for (const double at : places_) {
            if (at > begin_ && at <= end_ && at < kInfinity) places.push_back(at);
        }
    }
    return (places.size() - before) * stride;
}

void PrecisionSweep::count(std::uint32_t relevant, const LineCuts& cuts) {
    std::uint64_t* counts = counts_.data() + relevant;
    const std::size_t width = relevant_.size();
    for (std::size_t i = 0; i < others_.size(); ++i) {
        counts[cuts.place(places_[i]) * width] += steeper_[i] < 0 ? kDown : kUp;
    }
}

void PrecisionSweep::sort_order() {
    insertion_sort(order_,
                   [this](std::uint32_t a, std::uint32_t b) { return ahead_[a] < ahead_[b]; });
}

double PrecisionSweep::precision() const {
    double sum = 0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
        const auto found = static_cast<double>(i + 1);
        sum += found * inverses_[i + 1 + sorted_[i]];
    }
    return sum / scale_;
}

double PrecisionSweep::fill(const LineCuts& cuts, std::span<LineBucket> buckets,
                            std::uint64_t& touched) {
    const std::size_t width = relevant_.size();
    counts_.assign((buckets.size() + 2) * width, 0);
    for (std::uint32_t j = 0; j < width; ++j) {
        ahead_[j] = cross(j);
        count(j, cuts);
    }
    order_.resize(width);
    std::iota(order_.begin(), order_.end(), 0U);
    sorted_.resize(width);
    const auto take = [this](const auto& number_of) {
        std::transform(order_.begin(), order_.end(), sorted_.begin(), number_of);
    };
    sort_order();
    take([this](std::uint32_t j) { return ahead_[j]; });
    const double start = precision();
    double value = start;
    for (std::size_t b = 0; b < buckets.size(); ++b) {
        const std::uint64_t* counts = counts_.data() + (b + 1) * width;
        const std::uint64_t all = std::accumulate(counts, counts + width, std::uint64_t{0});
        if (all == 0) continue;
        touched |= bucket_bit(b, buckets.size());
        buckets[b].steps += static_cast<std::uint32_t>(all) + (all >> 32);
        const auto ups = [&](std::uint32_t j) { return static_cast<std::uint32_t>(counts[j]); };
        take([&](std::uint32_t j) { return ahead_[j] - ups(j); });
        insertion_sort(sorted_, std::less<>());
        const double highest = precision();  // (3)
        for (std::uint32_t j = 0; j < width; ++j) {
            ahead_[j] += static_cast<std::uint32_t>(counts[j] >> 32) - ups(j);
        }
        sort_order();
        take([this](std::uint32_t j) { return ahead_[j]; });
        const double next = precision();
        buckets[b].change += next - value;
        buckets[b].gain += std::max(highest - value, 0.0);
        value = next;
    }
    return start;
}

// By how much the sum of precisions changes. The documents ahead are kept ascending without their
// owners: of equal numbers the first can become less, and the last more.
double PrecisionSweep::pass(const Crossing& crossing) {
    std::uint32_t& ahead = ahead_[crossing.relevant];
    const auto same = std::equal_range(sorted_.begin(), sorted_.end(), ahead);
    const auto at = crossing.is_up ? same.first : same.second - 1;
    const auto found = static_cast<double>(at - sorted_.begin() + 1);
    const double before = found / (found + static_cast<double>(ahead));
    ahead += crossing.is_up ? -1 : 1;
    *at = ahead;
    return found / (found + static_cast<double>(ahead)) - before;
}

double PrecisionSweep::sweep(std::vector<LineStep>& steps) {
    crossings_.clear();
    for (std::uint32_t j = 0; j < relevant_.size(); ++j) {
        ahead_[j] = cross(j);
        for (std::size_t i = 0; i < others_.size(); ++i) {
            const double at = places_[i];
            if (at > begin_ && at <= end_ && at < kInfinity) {
                crossings_.push_back({at, j, steeper_[i] > 0});
            }
        }
    }
    sorted_ = ahead_;
    std::sort(sorted_.begin(), sorted_.end());
    const double start = precision();
    sort_by_place(crossings_, room_);
    for (std::size_t i = 0; i < crossings_.size();) {
        const double at = crossings_[i].at;
        // Between documents that cross in one point there is no interval to be in.
        double change = 0;
        for (; i < crossings_.size() && crossings_[i].at == at; ++i) change += pass(crossings_[i]);
        if (change != 0) steps.push_back({at, change / scale_});
    }
    return start;
}

}  // namespace braid
