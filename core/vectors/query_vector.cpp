// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/query_vector.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "braid/core/vectors/dot_kernels.h"
#include "braid/error.h"

namespace braid {
namespace {

// Whole numbers of the query, times codes of at most 255, must not leave 32 bits however they are
// added: their magnitudes sum to at most (2^31 - 1) / 255 = 8,421,504, here less a margin for the
// rounding of the sum that the scale is computed from.
constexpr double kLargestSum = 8'421'000;
constexpr double kLargestWhole = 32767;

std::size_t block_count(std::size_t dimensions) { return (dimensions + kDotBlock - 1) / kDotBlock; }

DotShape shape_of(std::size_t dimensions) {
    if (dimensions <= kDotBlock) return {0, 0};
    return {block_count(dimensions) - 1, dimensions - kDotBlock};
}

// Whole numbers of the rest are added to a product within this of the exact sum.
constexpr double kWholeRounding = 1e-3;

using WholeKernel = decltype(DotKernels::signed8);

/// The kernel of 8-bit codes; nullptr for others.
WholeKernel whole_kernel(const DotKernels& kernels, VectorCoding coding) {
    if (coding == VectorCoding::kSigned8) return kernels.signed8;
    return coding == VectorCoding::kUnsigned8 ? kernels.unsigned8 : nullptr;
}

/// Calls put(block, lane, component) for every component, each once, as DotShape lays them out.
template <typename Put>
void lay_out(std::size_t dimensions, const Put& put) {
    const DotShape shape = shape_of(dimensions);
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::size_t block = i / kDotBlock;
        put(block, block < shape.full ? i % kDotBlock : i - shape.last, i);
    }
}

}  // namespace

QueryVector::QueryVector(std::span<const float> vector, InstructionLevel level)
    : values_(vector.begin(), vector.end()),
      floats_(block_count(vector.size())),
      wholes_(block_count(vector.size())),
      kernels_(&dot_kernels(level)) {
    if (!is_supported(level)) {
        throw InvalidArgument(fmt::format("this machine has no {} instructions", to_string(level)));
    }
    if (static_cast<double>(values_.size()) > kLargestSum) {
        throw InvalidArgument(fmt::format("a query's vector has {} components, expected at most {}",
                                          values_.size(), kLargestSum));
    }
    double squares = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (!std::isfinite(values_[i])) {
            throw InvalidArgument(fmt::format(
                "component {} of a query's vector is {}, expected a finite number", i, values_[i]));
        }
        squares += double{values_[i]} * values_[i];
    }
    length_ = std::sqrt(squares);
    if (length_ > double{std::numeric_limits<float>::max()}) {
        throw InvalidArgument(fmt::format("a query's vector has length {}, expected at most {}",
                                          length_, std::numeric_limits<float>::max()));
    }
    lay_out(values_.size(), [&](std::size_t block, std::size_t lane, std::size_t i) {
        floats_[block].values[lane] = values_[i];
    });
    quantise();
    make_head();
}

// docs/algorithms/vectors.md (2) to (4).
void QueryVector::quantise() {
    double largest = 0;
    double sum = 0;
    for (const float x : values_) {
        largest = std::max(largest, std::fabs(double{x}));
        sum += std::fabs(double{x});
    }
    if (largest == 0) return;
    // Rounding adds at most 1/2 to each component, and at most doubles it.
    const double room =
        std::max(kLargestSum - 0.5 * static_cast<double>(values_.size()), kLargestSum / 2);
    const double scale = std::min(kLargestWhole / largest, room / sum);
    unit_ = 1 / scale;
    double squares = 0;
    lay_out(values_.size(), [&](std::size_t block, std::size_t lane, std::size_t i) {
        const double whole = std::nearbyint(values_[i] * scale);
        const double difference = values_[i] - whole * unit_;
        squares += difference * difference;
        wholes_[block].values[lane] = static_cast<std::int16_t>(whole);
    });
    error_ = std::sqrt(squares);
}

void QueryVector::make_head() {
    const std::size_t size = head_components(values_.size());
    head_.resize(block_count(size));
    double squares = 0;
    std::vector<std::int16_t> wholes(values_.size());
    lay_out(values_.size(), [&](std::size_t block, std::size_t lane, std::size_t i) {
        wholes[i] = wholes_[block].values[lane];
        if (i >= size) squares += double{1} * wholes[i] * wholes[i];
    });
    lay_out(size, [&](std::size_t block, std::size_t lane, std::size_t i) {
        head_[block].values[lane] = wholes[i];
    });
    rest_ = std::sqrt(squares);
}

std::size_t QueryVector::head_components(std::size_t dimensions) noexcept {
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kBeside = 16;
    if (dimensions < kLine + kDotBlock / 2) return 0;
    const std::size_t lines = (dimensions / 2 + kBeside + kLine / 2) / kLine;
    return lines * kLine - kBeside;
}

float QueryVector::rest_of(const StoredVector& stored, std::size_t dimensions) noexcept {
    const bool is_signed = stored.info.coding == VectorCoding::kSigned8;
    if (!is_signed && stored.info.coding != VectorCoding::kUnsigned8) return 0;
    double squares = 0;
    for (const char code : stored.codes.substr(head_components(dimensions))) {
        const double value = is_signed ? static_cast<signed char>(code)
                                       : static_cast<double>(static_cast<unsigned char>(code));
        squares += value * value;
    }
    return std::nextafter(static_cast<float>(std::sqrt(squares)),
                          std::numeric_limits<float>::infinity());
}

double QueryVector::dot_bound(const StoredVector& stored, double rest) const noexcept {
    const WholeKernel kernel = whole_kernel(*kernels_, stored.info.coding);
    if (head_.empty() || kernel == nullptr) return std::numeric_limits<double>::infinity();
    const char* codes = stored.codes.data();
    const DotShape shape = shape_of(head_components(values_.size()));
    const std::int32_t sum = kernel(head_[0].values, codes, shape);
    return (sum + rest_ * rest + kWholeRounding) * (unit_ * stored.scale);
}

double QueryVector::dot(const StoredVector& stored) const noexcept {
    if (values_.empty()) return 0;
    const char* codes = stored.codes.data();
    char padded[kDotBlock * sizeof(float)] = {};
    if (values_.size() < kDotBlock) {
        std::memcpy(padded, codes, stored.codes.size());
        codes = padded;
    }
    const DotShape shape = shape_of(values_.size());
    if (const WholeKernel kernel = whole_kernel(*kernels_, stored.info.coding)) {
        return kernel(wholes_[0].values, codes, shape) * (unit_ * stored.scale);
    }
    const bool is_half = stored.info.coding == VectorCoding::kFloat16;
    const auto kernel = is_half ? kernels_->float16 : kernels_->float32;
    const float sum = kernel(floats_[0].values, codes, shape);
    return std::isfinite(sum) ? double{sum} : 0;
}

double QueryVector::error_bound(VectorCoding coding) const noexcept {
    if (bytes_per_component(coding) == 1) return error_;
    // One rounding for the product, one for each block, five for the lanes; each 2^-24 relative,
    // and by Cauchy-Schwarz sum |q_i d_i| is at most the length. 1.01: their products.
    const auto roundings = static_cast<double>(block_count(values_.size()) + 6);
    return 1.01 * 0x1p-24 * roundings * length_;
}

}  // namespace braid
