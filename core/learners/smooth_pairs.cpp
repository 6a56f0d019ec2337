// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/smooth_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "braid/core/learners/row_products.h"

namespace braid {
namespace {

// Four doubles: one AVX register, or two of SSE2. The same operations in the same order either
// way, so both give the same bits.
using Lanes = double __attribute__((vector_size(32)));
constexpr std::size_t kWidth = 4;
// Targets whose slopes are multiplied with the scores at once.
constexpr std::size_t kTile = 8;

// s(-40) is 4e-18, less than the rounding of any sum that has the document itself (1/2) in it.
constexpr double kReach = 40;
// Below the exponent range of doubles (709) on both sides of the centre.
constexpr double kWidestSpan = 1200;

struct Pair {
    double target;   // e^(z_target - centre)
    double nearest;  // Bounds of e^(z_d - centre) between which a pair has a derivative.
    double furthest;
};

struct Sums {
    double position = 0;
    double slope = 0;
    double curvature = 0;
};

BRAID_INLINE void load_lanes(Lanes& to, const double* from) { std::memcpy(&to, from, sizeof to); }
BRAID_INLINE void store_lanes(double* to, const Lanes& from) {
    std::memcpy(to, &from, sizeof from);
}
BRAID_INLINE double total(const Lanes& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// What one loop over documents computes. Few enough to have a loop compiled for each.
struct Wanted {
    bool slope;
    bool curvature;
    bool window;
};

template <Wanted kWanted>
BRAID_INLINE void slope_of(const Lanes& a, const Pair& pair, Lanes& value, Lanes& slope) {
    value = a / (a + pair.target);
    slope = value - value * value;
    if (!kWanted.window) return;
    const Lanes zero = {};
    slope = a < pair.nearest ? zero : slope;
    slope = a > pair.furthest ? zero : slope;
}

// Sums over `count` documents (whole vectors); slopes and curvatures also go to arrays where
// curvatures are wanted.
template <Wanted kWanted>
BRAID_INLINE Sums sum_pairs(const double* a, std::size_t count, const Pair& pair, double* slopes,
                            double* curvatures) {
    Lanes position = {};
    Lanes slope_sum = {};
    Lanes curvature_sum = {};
    for (std::size_t i = 0; i < count; i += kWidth) {
        Lanes x;
        Lanes value;
        Lanes slope;
        load_lanes(x, a + i);
        slope_of<kWanted>(x, pair, value, slope);
        position += value;
        if (kWanted.slope) slope_sum += slope;
        if (!kWanted.curvature) continue;
        const Lanes curvature = slope * (1 - 2 * value);
        curvature_sum += curvature;
        store_lanes(slopes + i, slope);
        store_lanes(curvatures + i, curvature);
    }
    return {total(position), total(slope_sum), total(curvature_sum)};
}

// slopes += factor s', and curvatures += factor s'' where they are wanted.
template <Wanted kWanted>
BRAID_INLINE void add_pairs(const double* a, std::size_t count, const Pair& pair, double factor,
                            double* slopes, double* curvatures) {
    for (std::size_t i = 0; i < count; i += kWidth) {
        Lanes x;
        Lanes value;
        Lanes slope;
        Lanes sum;
        load_lanes(x, a + i);
        slope_of<kWanted>(x, pair, value, slope);
        load_lanes(sum, slopes + i);
        sum += factor * slope;
        store_lanes(slopes + i, sum);
        if (!kWanted.curvature) continue;
        load_lanes(sum, curvatures + i);
        sum += factor * (slope * (1 - 2 * value));
        store_lanes(curvatures + i, sum);
    }
}

using SumPairs = Sums (*)(const double*, std::size_t, const Pair&, double*, double*);
using AddPairs = void (*)(const double*, std::size_t, const Pair&, double, double*, double*);

template <Wanted kWanted>
Sums sum_pairs_baseline(const double* a, std::size_t n, const Pair& pair, double* s, double* c) {
    return sum_pairs<kWanted>(a, n, pair, s, c);
}
template <Wanted kWanted>
BRAID_AVX2 Sums sum_pairs_avx2(const double* a, std::size_t n, const Pair& pair, double* s,
                               double* c) {
    return sum_pairs<kWanted>(a, n, pair, s, c);
}
template <Wanted kWanted>
void add_pairs_baseline(const double* a, std::size_t n, const Pair& pair, double factor, double* s,
                        double* c) {
    add_pairs<kWanted>(a, n, pair, factor, s, c);
}
template <Wanted kWanted>
BRAID_AVX2 void add_pairs_avx2(const double* a, std::size_t n, const Pair& pair, double factor,
                               double* s, double* c) {
    add_pairs<kWanted>(a, n, pair, factor, s, c);
}

struct Loops {
    SumPairs sum;
    AddPairs add;
};

template <Wanted kWanted>
Loops loops_for(bool avx2) {
    return avx2 ? Loops{sum_pairs_avx2<kWanted>, add_pairs_avx2<kWanted>}
                : Loops{sum_pairs_baseline<kWanted>, add_pairs_baseline<kWanted>};
}

Loops loops_for(SmoothOrder order, bool window, InstructionSet set) {
    const bool avx2 = use_avx2(set);
    if (order == SmoothOrder::kValue) return loops_for<Wanted{false, false, false}>(avx2);
    if (order == SmoothOrder::kGradient) {
        return window ? loops_for<Wanted{true, false, true}>(avx2)
                      : loops_for<Wanted{true, false, false}>(avx2);
    }
    return window ? loops_for<Wanted{true, true, true}>(avx2)
                  : loops_for<Wanted{true, true, false}>(avx2);
}

Pair pair_of(double target, double window) {
    if (window <= 0) return {target, -1, std::numeric_limits<double>::infinity()};
    return {target, target * std::exp(-window), target * std::exp(window)};
}

std::size_t padded(std::size_t count) { return (count + kWidth - 1) / kWidth * kWidth; }

}  // namespace

void TargetSums::clear(std::size_t targets, std::size_t width) {
    position.assign(targets, 0);
    slope.assign(targets, 0);
    curvature.assign(targets, 0);
    slope_rows.assign(targets * width, 0);
    curvature_rows.assign(targets * width, 0);
}

void SmoothPairs::fill_exponentials(const SmoothPool& pool, double centre) {
    exponentials_.assign(padded(pool.z.size()), 0);
    const double low = std::max(lowest_, centre - kWidestSpan / 2);
    const double high = std::min(highest_, centre + kWidestSpan / 2);
    for (std::size_t d = 0; d < pool.z.size(); ++d) {
        exponentials_[d] = std::exp(std::clamp(pool.z[d], low, high) - centre);
    }
}

void SmoothPairs::prepare(const SmoothPool& pool) {
    lowest_ = std::numeric_limits<double>::infinity();
    highest_ = -lowest_;
    for (const std::uint32_t target : pool.targets) {
        lowest_ = std::min(lowest_, pool.z[target]);
        highest_ = std::max(highest_, pool.z[target]);
    }
    const double reach = std::max(kReach, 2 * pool.window);
    lowest_ -= reach;
    highest_ += reach;
    recentre_ = highest_ - lowest_ > kWidestSpan;
    centre_ = (lowest_ + highest_) / 2;
    if (!recentre_) fill_exponentials(pool, centre_);
}

double SmoothPairs::exponential_of_target(const SmoothPool& pool, double target) {
    if (!recentre_) return std::exp(target - centre_);
    fill_exponentials(pool, target);
    return 1;
}

void SmoothPairs::gather(const SmoothPool& pool, SmoothOrder order, TargetSums& sums) {
    prepare(pool);
    sums.clear(pool.targets.size(), pool.width);
    const std::size_t count = padded(pool.z.size());
    const SumPairs sum = loops_for(order, pool.window > 0, set_).sum;
    const bool wants_rows = order == SmoothOrder::kHessian;
    slopes_.resize(wants_rows ? kTile * count : count);
    curvatures_.resize(slopes_.size());
    for (std::size_t j = 0; j < pool.targets.size(); ++j) {
        const std::size_t at = wants_rows ? j % kTile * count : 0;
        const double target = exponential_of_target(pool, pool.z[pool.targets[j]]);
        const Sums of_target = sum(exponentials_.data(), count, pair_of(target, pool.window),
                                   slopes_.data() + at, curvatures_.data() + at);
        sums.position[j] = of_target.position;
        sums.slope[j] = of_target.slope;
        sums.curvature[j] = of_target.curvature;
        const bool ends_tile = j % kTile + 1 == kTile || j + 1 == pool.targets.size();
        if (!wants_rows || !ends_tile) continue;
        const std::size_t first = j - j % kTile;
        const std::size_t to = first * pool.width;
        add_row_products(slopes_.data(), count, j + 1 - first, pool.rows, pool.width,
                         sums.slope_rows.data() + to, set_);
        add_row_products(curvatures_.data(), count, j + 1 - first, pool.rows, pool.width,
                         sums.curvature_rows.data() + to, set_);
    }
}

void SmoothPairs::spread(const SmoothPool& pool, SmoothOrder order, std::span<const double> factors,
                         std::span<double> slopes, std::span<double> curvatures) {
    const std::size_t count = padded(pool.z.size());
    const AddPairs add = loops_for(order, pool.window > 0, set_).add;
    slopes_.assign(count, 0);
    curvatures_.assign(count, 0);
    for (std::size_t j = 0; j < pool.targets.size(); ++j) {
        const double target = exponential_of_target(pool, pool.z[pool.targets[j]]);
        add(exponentials_.data(), count, pair_of(target, pool.window), factors[j], slopes_.data(),
            curvatures_.data());
    }
    std::copy_n(slopes_.begin(), slopes.size(), slopes.begin());
    std::copy_n(curvatures_.begin(), curvatures.size(), curvatures.begin());
}

}  // namespace braid
