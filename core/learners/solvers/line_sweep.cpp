// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/solvers/line_sweep.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "braid/core/learners/solvers/place_sort.h"

namespace braid {
namespace {

constexpr std::uint32_t kOther = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void sort_steps(std::vector<LineStep>& steps) {
    std::vector<LineStep> room;
    sort_by_place(steps, room);
}

LineSweep::LineSweep(const TrainingMeasure& measure)
    : measure_(measure), is_plain_map_(measure.is_plain_map()) {}

void LineSweep::choose_tracked(std::size_t query) {
    tracked_ = measure_.tracked(query);
    tracked_at_.assign(bases_.size(), kOther);
    for (std::uint32_t j = 0; j < tracked_.size(); ++j) tracked_at_[tracked_[j]] = j;
}

// Whether a pair crosses in the interval, and who is ahead just after its begin, both follow from
// the same number, so that they can't disagree.
void LineSweep::find_crossings(std::size_t query, double begin, double end) {
    const std::span<const std::uint32_t> ties = measure_.tie_order(query);
    crossings_.clear();
    positions_.assign(tracked_.size(), 0);
    found_.assign(tracked_.size(), 1);
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
                const bool is_to_come = at > begin;
                is_ahead = (steeper < 0) == is_to_come;
                if (is_to_come && at <= end && at < std::numeric_limits<double>::infinity()) {
                    crossings_.push_back(steeper > 0 ? Crossing{at, j, other}
                                                     : Crossing{at, other, j});
                }
            }
            if (!is_ahead) {
                ++positions_[j];
                if (other != kOther) ++found_[j];
            } else if (other != kOther) {
                ++positions_[other];
                ++found_[other];
            }
        }
    }
}

void LineSweep::start_ranking(std::size_t query) {
    touched_.clear();
    if (is_plain_map_) {
        sum_ = 0;
        for (std::size_t j = 0; j < tracked_.size(); ++j) {
            sum_ += static_cast<double>(found_[j]) / static_cast<double>(positions_[j] + 1);
        }
        value_ = sum_ / measure_.scale(query);
        return;
    }
    ranked_.assign(bases_.size(), measure_.background(query));
    for (std::size_t j = 0; j < tracked_.size(); ++j) {
        ranked_[positions_[j]] = measure_.set().query_grades(query)[tracked_[j]];
    }
    placed_ = positions_;
    value_ = measure_.measure().evaluate({ranked_, measure_.pool(query)}, measure_.scale(query));
}

void LineSweep::move(std::uint32_t tracked, std::uint32_t position) {
    if (!is_plain_map_) touched_.push_back(tracked);
    positions_[tracked] = position;
}

void LineSweep::pass(const Crossing& crossing) {
    const auto part = [this](std::uint32_t j) {
        return static_cast<double>(found_[j]) / static_cast<double>(positions_[j] + 1);
    };
    const std::uint32_t up = crossing.rising;
    const std::uint32_t down = crossing.falling;
    if (up != kOther) sum_ -= part(up);
    if (down != kOther) sum_ -= part(down);
    if (up != kOther && down != kOther) {
        --found_[up];
        ++found_[down];
    }
    if (up != kOther) {
        move(up, positions_[up] - 1);
        sum_ += part(up);
    }
    if (down != kOther) {
        move(down, positions_[down] + 1);
        sum_ += part(down);
    }
}

double LineSweep::value_after_moves(std::size_t query) {
    if (is_plain_map_) return sum_ / measure_.scale(query);
    std::size_t best = ranked_.size();
    for (const std::uint32_t j : touched_) {
        best = std::min<std::size_t>({best, placed_[j], positions_[j]});
        ranked_[placed_[j]] = measure_.background(query);
    }
    for (const std::uint32_t j : touched_) {
        ranked_[positions_[j]] = measure_.set().query_grades(query)[tracked_[j]];
        placed_[j] = positions_[j];
    }
    touched_.clear();
    if (best >= measure_.measure().depth()) return value_;
    return measure_.measure().evaluate({ranked_, measure_.pool(query)}, measure_.scale(query));
}

// Along one ranker a slope is its score, which the sum would give as well.
void LineSweep::find_slopes(std::span<const double> rows, std::span<const double> direction) {
    const auto is_zero = [](double part) { return part == 0; };
    const auto first = std::find_if_not(direction.begin(), direction.end(), is_zero);
    if (first == direction.end() || std::any_of(first + 1, direction.end(), std::not_fn(is_zero))) {
        weighted_sums(rows, direction, slopes_);
        return;
    }
    const auto k = static_cast<std::size_t>(first - direction.begin());
    for (std::size_t d = 0; d < slopes_.size(); ++d) {
        slopes_[d] = *first * rows[d * direction.size() + k];
    }
}

double LineSweep::sweep(std::size_t query, std::span<const double> weights,
                        std::span<const double> direction, double begin, double end,
                        std::vector<LineStep>& steps) {
    const std::span<const double> rows = measure_.set().query_scores(query);
    const std::size_t documents = measure_.set().pool_size(query);
    if (documents == 0) return 0;
    bases_.resize(documents);
    slopes_.resize(documents);
    weighted_sums(rows, weights, bases_);
    find_slopes(rows, direction);
    choose_tracked(query);
    find_crossings(query, begin, end);
    sort_by_place(crossings_, sorted_);
    start_ranking(query);
    const double start = value_;
    for (std::size_t i = 0; i < crossings_.size();) {
        const double at = crossings_[i].at;
        // Between documents that cross in one point there is no interval to be in.
        for (; i < crossings_.size() && crossings_[i].at == at; ++i) pass(crossings_[i]);
        const double value = value_after_moves(query);
        if (value != value_) steps.push_back({at, value - value_});
        value_ = value;
    }
    return start;
}

}  // namespace braid
