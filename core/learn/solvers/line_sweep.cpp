// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/line_sweep.h"

#include <algorithm>
#include <limits>

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

}  // namespace braid
