// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "braid/core/learn/losses/linear_risk.h"

namespace braid {
namespace {

// Below this sections would leave few pairs out. Far below the exponents of doubles (+-709).
constexpr double kWidestSingle = 6 * SmoothSections::kReach;
constexpr double kMostBins = 1 << 14;
constexpr double kFurthest = 700;

// From here on neighbouring doubles are 32 and more apart. A quotient by kReach would make one bin
// of two of them, so a bin is the double itself, in units that leave it above all bins below.
constexpr double kCoarse = 0x1p57;
constexpr double kCoarseUnit = 32;

double bin_of(double z) {
    return std::abs(z) < kCoarse ? std::floor(z / SmoothSections::kReach) : z / kCoarseUnit;
}

double centre_of(double bin) {
    const bool is_coarse = std::abs(bin) >= kCoarse / kCoarseUnit;
    return is_coarse ? bin * kCoarseUnit : (bin + 0.5) * SmoothSections::kReach;
}

// The bins next to one. Beyond 2^53 a bin +- 1 is not another number.
double below(double bin) {
    return std::min(bin - 1, std::nextafter(bin, -std::numeric_limits<double>::infinity()));
}
double above(double bin) {
    return std::max(bin + 1, std::nextafter(bin, std::numeric_limits<double>::infinity()));
}

std::size_t padded(std::size_t count) {
    return (count + SmoothSections::kLanes - 1) / SmoothSections::kLanes * SmoothSections::kLanes;
}

}  // namespace

void SmoothSections::lay(const SmoothPool& pool) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const std::uint32_t target : pool.targets) {
        low = std::min(low, pool.z[target]);
        high = std::max(high, pool.z[target]);
    }
    is_single_ = high - low + 2 * kReach <= kWidestSingle;
    if (is_single_) {
        lay_one(pool, low - kReach, high + kReach);
    } else {
        lay_several(pool);
    }
}

void SmoothSections::lay_one(const SmoothPool& pool, double low, double high) {
    const std::size_t count = padded(pool.z.size());
    const double centre = low + (high - low) / 2;
    sections_.assign(1, {centre, 0, count, 0});
    exponentials_.assign(count, 0);
    for (std::size_t d = 0; d < pool.z.size(); ++d) {
        exponentials_[d] = std::exp(std::clamp(pool.z[d], low, high) - centre);
    }
}

// Those of the targets and their neighbours.
void SmoothSections::find_sections(const SmoothPool& pool) {
    bins_.clear();
    for (const std::uint32_t target : pool.targets) {
        const double bin = bin_of(pool.z[target]);
        bins_.insert(bins_.end(), {below(bin), bin, above(bin)});
    }
    std::sort(bins_.begin(), bins_.end());
    bins_.erase(std::unique(bins_.begin(), bins_.end()), bins_.end());
    sections_.assign(bins_.size(), {});
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        sections_[i].centre = centre_of(bins_[i]);
    }
}

void SmoothSections::fill_table() {
    first_bin_ = bins_.front();
    table_.clear();
    if (bins_.back() - first_bin_ > kMostBins) return;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        const auto at = static_cast<std::size_t>(bins_[i] - first_bin_);
        table_.resize(at, static_cast<std::uint32_t>(2 * i));
        table_.push_back(static_cast<std::uint32_t>(2 * i + 1));
    }
}

std::size_t SmoothSections::place_of(double bin) const {
    if (!(bin >= bins_.front())) return 0;
    if (bin > bins_.back()) return 2 * bins_.size();
    if (!table_.empty()) return table_[static_cast<std::size_t>(bin - first_bin_)];
    const auto at = std::lower_bound(bins_.begin(), bins_.end(), bin);
    return 2 * static_cast<std::size_t>(at - bins_.begin()) + (*at == bin ? 1 : 0);
}

void SmoothSections::lay_several(const SmoothPool& pool) {
    find_sections(pool);
    fill_table();
    counts_.assign(2 * sections_.size() + 1, 0);
    slots_.resize(pool.z.size());
    for (std::size_t d = 0; d < slots_.size(); ++d) {
        slots_[d] = place_of(bin_of(pool.z[d]));
        ++counts_[slots_[d]];
    }
    std::size_t end = 0;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        sections_[i].begin = sections_[i].end = end;
        end += padded(counts_[2 * i + 1]);
    }
    std::size_t above = counts_.back();
    for (std::size_t i = sections_.size(); i-- > 0;) {
        sections_[i].above = static_cast<double>(above);
        above += counts_[2 * i + 1] + counts_[2 * i];
    }
    exponentials_.assign(end, 0);
    for (std::size_t d = 0; d < slots_.size(); ++d) {
        const std::size_t place = slots_[d];
        slots_[d] = kNowhere;
        if (place % 2 == 0) continue;
        Section& section = sections_[place / 2];
        slots_[d] = section.end++;
        exponentials_[slots_[d]] = exponential(pool.z[d], section);
    }
    for (Section& section : sections_)
        section.end = section.begin + padded(section.end - section.begin);
}

// The limits are far beyond the reach, where s is 0 or 1. A padding of 0 over an exponential of 0
// would be no number.
double SmoothSections::exponential(double z, const Section& section) {
    return std::exp(std::clamp(z - section.centre, -kFurthest, kFurthest));
}

std::span<const SmoothSections::Section> SmoothSections::near(double target) const {
    if (is_single_) return sections_;
    return std::span(sections_).subspan(place_of(bin_of(target)) / 2 - 1, 3);
}

namespace {

// Four doubles: one AVX register, or two of SSE2. The same operations in the same order either
// way, so both give the same bits.
using Lanes = double __attribute__((vector_size(32)));
constexpr std::size_t kWidth = 4;
// Targets whose slopes are multiplied with the scores at once.
constexpr std::size_t kTile = 8;

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

Loops loops_for(SmoothOrder order, bool window, InstructionLevel level) {
    const bool avx2 = has_avx2(level);
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

}  // namespace

void TargetSums::clear(std::size_t targets, std::size_t width) {
    position.assign(targets, 0);
    slope.assign(targets, 0);
    curvature.assign(targets, 0);
    slope_rows.assign(targets * width, 0);
    curvature_rows.assign(targets * width, 0);
}

// Documents in the order of their slots, with zeros for the padding.
void SmoothPairs::place_rows(const SmoothPool& pool) {
    rows_.assign(sections_.exponentials().size() * pool.width, 0);
    for (std::size_t d = 0; d < pool.z.size(); ++d) {
        const std::size_t slot = sections_.slots()[d];
        if (slot == SmoothSections::kNowhere) continue;
        std::copy_n(pool.rows.data() + d * pool.width, pool.width,
                    rows_.data() + slot * pool.width);
    }
}

// Targets next to each other are near the same documents.
void SmoothPairs::order_targets(const SmoothPool& pool) {
    order_.resize(pool.targets.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (sections_.is_single()) return;
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        return pool.z[pool.targets[a]] < pool.z[pool.targets[b]];
    });
}

void SmoothPairs::gather(const SmoothPool& pool, SmoothOrder order, TargetSums& sums) {
    sections_.lay(pool);
    sums.clear(pool.targets.size(), pool.width);
    const SumPairs sum = loops_for(order, pool.window > 0, level_).sum;
    if (order == SmoothOrder::kHessian) {
        if (!sections_.is_single()) place_rows(pool);
        order_targets(pool);
        for (std::size_t i = 0; i < order_.size(); i += kTile) {
            gather_tile(pool, {order_.data() + i, std::min(kTile, order_.size() - i)}, sums);
        }
        return;
    }
    for (std::size_t j = 0; j < pool.targets.size(); ++j) {
        const double z = pool.z[pool.targets[j]];
        const auto sections = sections_.near(z);
        sums.position[j] = sections.back().above;
        for (const SmoothSections::Section& section : sections) {
            const Sums part = sum(
                sections_.exponentials().data() + section.begin, section.end - section.begin,
                pair_of(SmoothSections::exponential(z, section), pool.window), nullptr, nullptr);
            sums.position[j] += part.position;
            sums.slope[j] += part.slope;
        }
    }
}

// The targets' slopes and curvatures side by side, times the rows of all documents near one.
void SmoothPairs::gather_tile(const SmoothPool& pool, std::span<const std::size_t> targets,
                              TargetSums& sums) {
    const SumPairs sum = loops_for(SmoothOrder::kHessian, pool.window > 0, level_).sum;
    const std::size_t begin = sections_.near(pool.z[pool.targets[targets.front()]]).front().begin;
    const std::size_t end = sections_.near(pool.z[pool.targets[targets.back()]]).back().end;
    const std::size_t count = end - begin;
    slopes_.assign(targets.size() * count, 0);
    curvatures_.assign(targets.size() * count, 0);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const std::size_t j = targets[i];
        const double z = pool.z[pool.targets[j]];
        const auto sections = sections_.near(z);
        sums.position[j] = sections.back().above;
        for (const SmoothSections::Section& section : sections) {
            const std::size_t at = i * count + section.begin - begin;
            const Sums part =
                sum(sections_.exponentials().data() + section.begin, section.end - section.begin,
                    pair_of(SmoothSections::exponential(z, section), pool.window),
                    slopes_.data() + at, curvatures_.data() + at);
            sums.position[j] += part.position;
            sums.slope[j] += part.slope;
            sums.curvature[j] += part.curvature;
        }
    }
    const std::span<const double> rows =
        sections_.is_single()
            ? pool.rows
            : std::span<const double>(rows_).subspan(begin * pool.width, count * pool.width);
    const std::size_t width = pool.width;
    products_.assign(2 * targets.size() * width, 0);
    double* bends = products_.data() + targets.size() * width;
    add_row_products(slopes_.data(), count, targets.size(), rows, width, products_.data(), level_);
    add_row_products(curvatures_.data(), count, targets.size(), rows, width, bends, level_);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        std::copy_n(products_.data() + i * width, width,
                    sums.slope_rows.data() + targets[i] * width);
        std::copy_n(bends + i * width, width, sums.curvature_rows.data() + targets[i] * width);
    }
}

void SmoothPairs::spread(const SmoothPool& pool, SmoothOrder order, std::span<const double> factors,
                         std::span<double> slopes, std::span<double> curvatures) {
    const AddPairs add = loops_for(order, pool.window > 0, level_).add;
    slopes_.assign(sections_.exponentials().size(), 0);
    curvatures_.assign(slopes_.size(), 0);
    for (std::size_t j = 0; j < pool.targets.size(); ++j) {
        const double z = pool.z[pool.targets[j]];
        for (const SmoothSections::Section& section : sections_.near(z)) {
            add(sections_.exponentials().data() + section.begin, section.end - section.begin,
                pair_of(SmoothSections::exponential(z, section), pool.window), factors[j],
                slopes_.data() + section.begin, curvatures_.data() + section.begin);
        }
    }
    if (sections_.is_single()) {
        std::copy_n(slopes_.begin(), slopes.size(), slopes.begin());
        std::copy_n(curvatures_.begin(), curvatures.size(), curvatures.begin());
        return;
    }
    for (std::size_t d = 0; d < slopes.size(); ++d) {
        const std::size_t slot = sections_.slots()[d];
        slopes[d] = slot == SmoothSections::kNowhere ? 0 : slopes_[slot];
        curvatures[d] = slot == SmoothSections::kNowhere ? 0 : curvatures_[slot];
    }
}

}  // namespace braid
