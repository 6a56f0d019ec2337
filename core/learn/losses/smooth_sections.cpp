// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_sections.h"

#include <algorithm>
#include <cmath>

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

}  // namespace braid
