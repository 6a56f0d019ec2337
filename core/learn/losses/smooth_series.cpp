// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "braid/core/learn/losses/smooth_sums.h"

// Equations are those of docs/algorithms/smooth-measures.md.

namespace braid {
namespace {

constexpr std::size_t kTerms = SmoothSeries::kTerms;
constexpr std::size_t kExponents = 12;  // Of an exponential series.
constexpr std::size_t kNear = 3;        // Bins so far apart are near: seven, and a lane to spare.
constexpr double kReach = 38;           // s(-38) is 3e-17.
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMostBins = 1 << 14;

using Powers = std::array<double, kExponents>;

// k^l / l! for k = 1 .. kExponents.
const std::array<std::array<double, kTerms>, kExponents>& exponential_series() {
    static const auto table = [] {
        std::array<std::array<double, kTerms>, kExponents> result{};
        for (std::size_t k = 0; k < kExponents; ++k) {
            double term = 1;
            for (std::size_t l = 0; l < kTerms; ++l) {
                result[k][l] = term;
                term *= static_cast<double>(k + 1) / static_cast<double>(l + 1);
            }
        }
        return result;
    }();
    return table;
}

// base^1 .. base^kExponents
Powers powers(double base) {
    Powers result;
    double power = 1;
    for (double& value : result) value = power *= base;
    return result;
}

double sign_of(std::size_t k) { return k % 2 == 0 ? 1 : -1; }  // (-1)^(k+1), k counted from 0.

// (11): coefficients of s around each near bin's distance, side by side in the lanes of a vector;
// [l] is that of power l.
void sigmoid_series(double offset, SmoothSeries::NearTaylor& a) {
    for (std::size_t i = 0; i < 8; ++i) {
        const double x = static_cast<double>(i) - static_cast<double>(kNear) - offset;
        a[0][i] = 1 / (1 + std::exp(-x));
    }
    for (std::size_t l = 0; l + 1 < a.size(); ++l) {
        SmoothSeries::NearLanes square = {};
        for (std::size_t i = 0; i <= l; ++i) square += a[i] * a[l - i];
        a[l + 1] = (a[l] - square) * (1 / static_cast<double>(l + 1));
    }
}

std::pair<double, double> range_of_targets(const SmoothPool& pool) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const std::uint32_t target : pool.targets) {
        low = std::min(low, pool.z[target]);
        high = std::max(high, pool.z[target]);
    }
    return {low, high};
}

// Four terms of a series side by side; the same operations in the same order on every
// instruction set.
using Lanes = double __attribute__((vector_size(32)));
constexpr std::size_t kBlocks = kTerms / 4;

BRAID_INLINE void load_lanes(Lanes& to, const double* from) { std::memcpy(&to, from, sizeof to); }

// x^0 .. x^(kTerms - 1)
BRAID_INLINE void fill_powers(double x, Lanes* powers) {
    const double square = x * x;
    const double fourth = square * square;
    Lanes power = {1, x, square, square * x};
    for (std::size_t i = 0; i < kBlocks; ++i, power *= fourth) powers[i] = power;
}

// What the loops over documents work on.
struct Documents {
    std::span<const SmoothSeries::Place> places;
    const double* rows;
    std::size_t width;
    std::size_t channels;
};

// (9)
BRAID_INLINE void add_moments_of(const Documents& documents, double* moments) {
    Lanes powers[kBlocks] = {};
    for (std::size_t d = 0; d < documents.places.size(); ++d) {
        const SmoothSeries::Place& place = documents.places[d];
        if (place.bin == kNowhere) continue;
        fill_powers(place.offset, powers);
        double* to = moments + place.bin * documents.channels * kTerms;
        for (std::size_t c = 0; c < documents.channels; ++c) {
            const double factor = c == 0 ? 1 : documents.rows[d * documents.width + c - 1];
            for (std::size_t i = 0; i < kBlocks; ++i, to += 4) {
                Lanes sum;
                load_lanes(sum, to);
                sum += factor * powers[i];
                std::memcpy(to, &sum, sizeof sum);
            }
        }
    }
}

// The series of each document's bin, at the document.
BRAID_INLINE void evaluate_fields(const Documents& documents, const double* fields,
                                  double* values) {
    Lanes powers[kBlocks] = {};
    for (std::size_t d = 0; d < documents.places.size(); ++d) {
        const SmoothSeries::Place& place = documents.places[d];
        if (place.bin == kNowhere) continue;
        fill_powers(place.offset, powers);
        const double* field = fields + place.bin * kTerms;
        Lanes sum = {};
        for (std::size_t i = 0; i < kBlocks; ++i) {
            Lanes coefficients;
            load_lanes(coefficients, field + 4 * i);
            sum += coefficients * powers[i];
        }
        values[d] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

void add_moments_baseline(const Documents& documents, double* moments) {
    add_moments_of(documents, moments);
}
BRAID_AVX2 void add_moments_avx2(const Documents& documents, double* moments) {
    add_moments_of(documents, moments);
}
void evaluate_baseline(const Documents& documents, const double* fields, double* values) {
    evaluate_fields(documents, fields, values);
}
BRAID_AVX2 void evaluate_avx2(const Documents& documents, const double* fields, double* values) {
    evaluate_fields(documents, fields, values);
}

}  // namespace

bool SmoothSeries::fits(const SmoothPool& pool) {
    const auto [low, high] = range_of_targets(pool);
    return high - low + 2 * kReach < static_cast<double>(kMostBins);
}

bool SmoothSeries::is_quicker(const SmoothPool& pool) {
    if (!fits(pool)) return false;
    const auto [low, high] = range_of_targets(pool);
    const auto documents = static_cast<double>(pool.z.size());
    const auto targets = static_cast<double>(pool.targets.size());
    const double bins = high - low + 2 * kReach;
    // Nanoseconds for value and gradient; what matters is their ratio.
    // Pairs further apart than a section and its neighbours cost nothing.
    const double near = std::min(1.0, 3 * SmoothSections::kReach / bins);
    return 10 * documents + 150 * bins + 1100 * targets < 0.9 * documents * targets * near;
}

void SmoothSeries::lay_bins(const SmoothPool& pool) {
    const auto [low, high] = range_of_targets(pool);
    lowest_ = low - kReach;
    bins_ = static_cast<std::size_t>(std::floor(high - low + 2 * kReach)) + 1;
    highest_ = lowest_ + static_cast<double>(bins_);
}

SmoothSeries::Place SmoothSeries::place_of(double z) const {
    if (!(z >= lowest_) || z >= highest_) return {kNowhere, 0};
    const double at = z - lowest_;
    const auto bin = std::min(static_cast<std::size_t>(at), bins_ - 1);
    return {bin, at - (static_cast<double>(bin) + 0.5)};
}

// (9)
void SmoothSeries::add_moments(const SmoothPool& pool) {
    places_.resize(pool.z.size());
    moments_.assign(bins_ * channels_ * kTerms, 0);
    above_.assign(bins_ + 1, 0);
    for (std::size_t d = 0; d < places_.size(); ++d) {
        places_[d] = place_of(pool.z[d]);
        if (places_[d].bin == kNowhere && pool.z[d] >= highest_) ++above_[bins_];
    }
    const auto add = has_avx2(level_) ? add_moments_avx2 : add_moments_baseline;
    add({places_, pool.rows.data(), pool.width, channels_}, moments_.data());
    for (std::size_t b = bins_; b-- > 0;) {
        above_[b] = above_[b + 1] + moments_[b * channels_ * kTerms];
    }
}

// (10)
void SmoothSeries::sum_exponentials() {
    const auto& series = exponential_series();
    const Powers decay = powers(std::exp(-1.0));
    const std::size_t stride = channels_ * kExponents;
    from_below_.assign(bins_ * stride, 0);
    from_above_.assign(bins_ * stride, 0);
    for (std::size_t b = 0; b < bins_; ++b) {
        if (above_[b] == above_[b + 1]) continue;
        for (std::size_t c = 0; c < channels_; ++c) {
            const double* moments = moments_.data() + (b * channels_ + c) * kTerms;
            for (std::size_t k = 0; k < kExponents; ++k) {
                double even = 0;
                double odd = 0;
                for (std::size_t l = 0; l < kTerms; l += 2) {
                    even += series[k][l] * moments[l];
                    odd += series[k][l + 1] * moments[l + 1];
                }
                from_below_[b * stride + c * kExponents + k] = even + odd;
                from_above_[b * stride + c * kExponents + k] = even - odd;
            }
        }
    }
    for (std::size_t b = 1; b < bins_; ++b) {
        for (std::size_t i = 0; i < stride; ++i) {
            const double factor = decay[i % kExponents];
            from_below_[b * stride + i] += factor * from_below_[(b - 1) * stride + i];
            const std::size_t mirrored = bins_ - 1 - b;
            from_above_[mirrored * stride + i] += factor * from_above_[(mirrored + 1) * stride + i];
        }
    }
}

void SmoothSeries::sum_near(std::size_t bin, std::size_t lane, std::size_t target,
                            SmoothOrder order, TargetSums& sums) {
    const NearTaylor& taylor = taylors_[target];
    const std::size_t width = channels_ - 1;
    std::array<double, kTerms> first;
    std::array<double, kTerms> second;
    for (std::size_t l = 0; l < kTerms; ++l) {
        first[l] = static_cast<double>(l + 1) * taylor[l + 1][lane];
        second[l] = static_cast<double>((l + 1) * (l + 2)) * taylor[l + 2][lane];
    }
    const double* moments = moments_.data() + bin * channels_ * kTerms;
    double position = 0;
    double slope = 0;
    double curvature = 0;
    for (std::size_t l = 0; l < kTerms; ++l) {
        position += taylor[l][lane] * moments[l];
        slope += first[l] * moments[l];
        curvature += second[l] * moments[l];
    }
    sums.position[target] += position;
    sums.slope[target] += slope;
    sums.curvature[target] += curvature;
    if (order != SmoothOrder::kHessian) return;
    for (std::size_t c = 0; c < width; ++c) {
        moments += kTerms;
        slope = 0;
        curvature = 0;
        for (std::size_t l = 0; l < kTerms; ++l) {
            slope += first[l] * moments[l];
            curvature += second[l] * moments[l];
        }
        sums.slope_rows[target * width + c] += slope;
        sums.curvature_rows[target * width + c] += curvature;
    }
}

// (12). `distance` from the target to the centre of `bin`, from where the sums begin.
void SmoothSeries::sum_far(std::size_t bin, double distance, bool is_above, std::size_t target,
                           SmoothOrder order, TargetSums& sums) {
    const std::size_t width = channels_ - 1;
    const double side = is_above ? -1 : 1;
    const Powers power = powers(std::exp(-distance));
    const double* all =
        (is_above ? from_above_ : from_below_).data() + bin * channels_ * kExponents;
    if (is_above) sums.position[target] += above_[bin];
    for (std::size_t k = 0; k < kExponents; ++k) {
        const auto exponent = static_cast<double>(k + 1);
        const double term = sign_of(k) * power[k];
        sums.position[target] += side * term * all[k];
        sums.slope[target] += exponent * term * all[k];
        sums.curvature[target] += side * exponent * exponent * term * all[k];
        if (order != SmoothOrder::kHessian) continue;
        for (std::size_t c = 0; c < width; ++c) {
            const double value = exponent * term * all[(c + 1) * kExponents + k];
            sums.slope_rows[target * width + c] += value;
            sums.curvature_rows[target * width + c] += side * exponent * value;
        }
    }
}

void SmoothSeries::sum_target(std::size_t target, const Place& place, SmoothOrder order,
                              TargetSums& sums) {
    sigmoid_series(place.offset, taylors_[target]);
    // Targets are kReach from either end, so these bins exist.
    for (std::size_t lane = 0; lane <= 2 * kNear; ++lane) {
        const std::size_t b = place.bin - kNear + lane;
        if (above_[b] != above_[b + 1]) sum_near(b, lane, target, order, sums);
    }
    const auto beyond = static_cast<double>(kNear + 1);
    sum_far(place.bin - kNear - 1, beyond + place.offset, false, target, order, sums);
    sum_far(place.bin + kNear + 1, beyond - place.offset, true, target, order, sums);
}

void SmoothSeries::gather(const SmoothPool& pool, SmoothOrder order, TargetSums& sums) {
    lay_bins(pool);
    channels_ = order == SmoothOrder::kHessian ? 1 + pool.width : 1;
    add_moments(pool);
    sum_exponentials();
    sums.clear(pool.targets.size(), pool.width);
    taylors_.resize(pool.targets.size());
    for (std::size_t j = 0; j < pool.targets.size(); ++j) {
        sum_target(j, places_[pool.targets[j]], order, sums);
    }
}

// (13)
void SmoothSeries::spread_target(std::size_t target, const Place& place, double factor,
                                 SmoothOrder order) {
    const NearTaylor& taylor = taylors_[target];
    for (std::size_t lane = 0; lane <= 2 * kNear; ++lane) {
        const std::size_t b = place.bin - kNear + lane;
        if (above_[b] == above_[b + 1]) continue;
        for (std::size_t l = 0; l < kTerms; ++l) {
            const auto n = static_cast<double>(l + 1);
            slope_fields_[b * kTerms + l] += factor * n * taylor[l + 1][lane];
            if (order != SmoothOrder::kHessian) continue;
            curvature_fields_[b * kTerms + l] += factor * n * (n + 1) * taylor[l + 2][lane];
        }
    }
    const Powers up = powers(std::exp(place.offset));
    const Powers down = powers(std::exp(-place.offset));
    for (std::size_t k = 0; k < kExponents; ++k) {
        targets_below_[place.bin * kExponents + k] += factor * up[k];
        targets_above_[place.bin * kExponents + k] += factor * down[k];
    }
}

// (14)
void SmoothSeries::spread_far(std::size_t bin, SmoothOrder order) {
    const auto& series = exponential_series();
    const Powers decay = powers(std::exp(-static_cast<double>(kNear + 1)));
    for (std::size_t k = 0; k < kExponents; ++k) {
        const auto exponent = static_cast<double>(k + 1);
        const double factor = sign_of(k) * exponent * decay[k];
        double below = 0;
        double above = 0;
        if (bin > kNear) below = factor * targets_below_[(bin - kNear - 1) * kExponents + k];
        if (bin + kNear + 1 < bins_) {
            above = factor * targets_above_[(bin + kNear + 1) * kExponents + k];
        }
        const double even = above + below;
        const double odd = above - below;
        double* slopes = slope_fields_.data() + bin * kTerms;
        double* curvatures = curvature_fields_.data() + bin * kTerms;
        for (std::size_t l = 0; l < kTerms; l += 2) {
            slopes[l] += even * series[k][l];
            slopes[l + 1] += odd * series[k][l + 1];
            if (order != SmoothOrder::kHessian) continue;
            curvatures[l] += exponent * odd * series[k][l];
            curvatures[l + 1] += exponent * even * series[k][l + 1];
        }
    }
}

void SmoothSeries::spread(const SmoothPool& pool, SmoothOrder order,
                          std::span<const double> factors, std::span<double> slopes,
                          std::span<double> curvatures) {
    slope_fields_.assign(bins_ * kTerms, 0);
    curvature_fields_.assign(bins_ * kTerms, 0);
    targets_below_.assign(bins_ * kExponents, 0);
    targets_above_.assign(bins_ * kExponents, 0);
    for (std::size_t j = 0; j < factors.size(); ++j) {
        spread_target(j, places_[pool.targets[j]], factors[j], order);
    }
    const Powers decay = powers(std::exp(-1.0));
    for (std::size_t i = kExponents; i < targets_below_.size(); ++i) {
        targets_below_[i] += decay[i % kExponents] * targets_below_[i - kExponents];
        const std::size_t mirrored = targets_above_.size() - 1 - i;
        targets_above_[mirrored] +=
            decay[mirrored % kExponents] * targets_above_[mirrored + kExponents];
    }
    for (std::size_t b = 0; b < bins_; ++b) {
        if (above_[b] != above_[b + 1]) spread_far(b, order);
    }
    const auto evaluate = has_avx2(level_) ? evaluate_avx2 : evaluate_baseline;
    const Documents documents = {places_, nullptr, 0, 0};
    evaluate(documents, slope_fields_.data(), slopes.data());
    if (order == SmoothOrder::kHessian) {
        evaluate(documents, curvature_fields_.data(), curvatures.data());
    }
}

}  // namespace braid
