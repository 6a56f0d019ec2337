// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// The quadratic programme of a bundle method: the least over w (w >= 0 if asked) of
/// 1/2 |w|^2 + c max_i (slope_i . w + offset_i), by its dual; docs/algorithms/bundle.md (3) to (7).
/// Multipliers stay from one call to the next. With a cut 0 from the beginning.
class BRAID_API CutModel {
  public:
    CutModel(std::size_t width, bool non_negative);

    /// Every cut must be a lower bound of what is minimised. O(cuts x width).
    void add(std::span<const double> slope, double offset);

    /// Raises the dual until its distance to the programme's value is at most `accuracy`, or no
    /// step raises it. The result is a lower bound of the programme whatever the accuracy. A call
    /// with another c scales the multipliers.
    double maximise(double c, double accuracy);

    /// The programme's minimiser, for the multipliers there are.
    const std::vector<double>& weights() const { return weights_; }
    std::size_t size() const { return offsets_.size(); }
    const std::vector<double>& multipliers() const { return multipliers_; }

    /// Forgets cuts that have had no multiplier in the last `calls` calls of maximise.
    void drop_idle(std::size_t calls);

  private:
    std::span<const double> slope(std::size_t i) const {
        return {slopes_.data() + i * width_, width_};
    }
    void weigh();
    bool step();
    void move(std::size_t from, std::size_t to, double amount);
    void remove(std::size_t i);

    std::size_t width_;
    bool non_negative_;
    double c_ = 0;
    std::vector<double> slopes_;                 // size() x width_
    std::vector<std::vector<double>> products_;  // Of slopes; row i has i + 1 columns.
    std::vector<double> offsets_;
    std::vector<double> multipliers_;  // Sum c_.
    std::vector<std::size_t> idle_;
    std::vector<double> sums_;     // -sum_i multiplier_i slope_i
    std::vector<double> weights_;  // sums_, its positive part where asked
    std::vector<double> heights_;  // slope_i . weights_ + offset_i
};

}  // namespace braid
