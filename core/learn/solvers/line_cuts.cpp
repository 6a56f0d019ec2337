// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/line_cuts.h"

#include <limits>

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

}  // namespace braid
