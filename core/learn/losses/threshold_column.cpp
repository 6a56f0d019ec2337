// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/threshold_column.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/base/place_sort.h"

namespace braid {
namespace {

struct Place {
    double at;
    std::uint32_t row;
};

}  // namespace

ThresholdColumn::ThresholdColumn(const TrainingSet& set, std::size_t ranker, std::size_t count)
    : set_(&set), ranker_(ranker), count_(count), rows_(set.rows()) {
    if (set.rows() >= 1U << 31U) {
        throw InvalidArgument(
            fmt::format("{} documents over all queries, expected fewer than 2^31", set.rows()));
    }
    std::vector<Place> places(set.rows());
    std::vector<Place> room;
    for (std::uint32_t i = 0; i < places.size(); ++i) {
        places[i] = {-set.scores[i * set.width() + ranker], i};
    }
    sort_by_place(places, room);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool is_cut = count == 0 && i + 1 < places.size() && places[i].at != places[i + 1].at;
        rows_[i] = places[i].row << 1U | (is_cut ? 1U : 0U);
    }
    if (rows_.empty()) return;
    for (std::size_t t = 1; t <= count; ++t) {
        const std::size_t above = rows_above(even_threshold(t));
        if (above > 0 && above < rows_.size()) rows_[above - 1] |= 1U;
    }
}

double ThresholdColumn::even_threshold(std::size_t number) const {
    const double greatest = value(0);
    const double width = greatest - value(rows_.size() - 1);
    return greatest - width * static_cast<double>(number) / static_cast<double>(count_ + 1);
}

std::size_t ThresholdColumn::rows_above(double threshold) const {
    std::size_t begin = 0;
    std::size_t end = rows_.size();
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (value(middle) > threshold) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

double ThresholdColumn::threshold(std::size_t rows) const {
    // The highest of those that part the rows so.
    for (std::size_t t = 1; t <= count_; ++t) {
        const double at = even_threshold(t);
        if (value(rows - 1) > at && !(value(rows) > at)) return at;
    }
    const double above = value(rows - 1);
    const double below = value(rows);
    const double middle = below + (above - below) / 2;
    return middle < above ? middle : below;
}

}  // namespace braid
