// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/mixture_kernels.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

/// Entries that go through the registers together.
constexpr std::size_t kTile = 4;
/// How many entries ahead rows are fetched into the cache.
constexpr std::size_t kAhead = 4;

template <typename V>
struct IntegerOf;
template <>
struct IntegerOf<FourLanes> {
    using Type = std::int32_t __attribute__((vector_size(16)));
};
template <>
struct IntegerOf<EightLanes> {
    using Type = std::int32_t __attribute__((vector_size(32)));
};

template <typename V>
inline constexpr std::size_t kVectors = kTopicBlock / kLanes<V>;

/// The sum of kTopicBlock numbers, halves added to halves.
template <typename V>
BRAID_INLINE float add_up(const V* block) {
    float x[kTopicBlock];
    for (std::size_t v = 0; v < kVectors<V>; ++v) store(x + v * kLanes<V>, block[v]);
    for (std::size_t half = kTopicBlock / 2; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i) x[i] += x[i + half];
    }
    return x[0];
}

template <typename V>
BRAID_INLINE float dot(std::size_t topics, const float* a, const float* b) {
    V sums[kVectors<V>] = {};
    for (std::size_t z = 0; z < topics; z += kTopicBlock) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors<V>; ++v) {
            V x;
            V y;
            load(x, a + z + v * kLanes<V>);
            load(y, b + z + v * kLanes<V>);
            sums[v] += x * y;
        }
    }
    return add_up<V>(sums);
}

/// sums += ratios[t] * rows[t] for `tile` rows, one after the other for each number.
template <typename V, std::size_t tile>
BRAID_INLINE void add_rows(std::size_t topics, const float* const* rows, const float* ratios,
                           float* sums) {
    for (std::size_t z = 0; z < topics; z += kLanes<V>) {
        V sum;
        load(sum, sums + z);
#pragma GCC unroll 4
        for (std::size_t t = 0; t < tile; ++t) {
            V x;
            load(x, rows[t] + z);
            sum += x * ratios[t];
        }
        store(sums + z, sum);
    }
}

BRAID_INLINE void prefetch(std::size_t topics, std::size_t entries, std::size_t first,
                           const std::uint32_t* ids, const float* others) {
    for (std::size_t i = first; i < std::min(entries, first + kTile); ++i) {
        const float* row = others + static_cast<std::size_t>(ids[i]) * topics;
        for (std::size_t z = 0; z < topics; z += kTopicBlock) __builtin_prefetch(row + z);
    }
}

template <typename V, std::size_t tile>
BRAID_INLINE void attribute_entries(std::size_t topics, const std::uint32_t* ids,
                                    const float* counts, const float* row, const float* others,
                                    float* ratios, float* sums) {
    const float* rows[tile];
    for (std::size_t t = 0; t < tile; ++t) {
        rows[t] = others + static_cast<std::size_t>(ids[t]) * topics;
        ratios[t] = counts[t] / dot<V>(topics, row, rows[t]);
    }
    add_rows<V, tile>(topics, rows, ratios, sums);
}

template <typename V>
BRAID_INLINE void attribute(std::size_t topics, std::size_t entries, const std::uint32_t* ids,
                            const float* counts, const float* row, const float* others,
                            float* ratios, float* sums) {
    std::fill_n(sums, topics, 0.0F);
    std::size_t i = 0;
    for (; i + kTile <= entries; i += kTile) {
        prefetch(topics, entries, i + kAhead, ids, others);
        attribute_entries<V, kTile>(topics, ids + i, counts + i, row, others, ratios + i, sums);
    }
    for (; i < entries; ++i) {
        attribute_entries<V, 1>(topics, ids + i, counts + i, row, others, ratios + i, sums);
    }
}

template <typename V, std::size_t tile>
BRAID_INLINE void gather_entries(std::size_t topics, const std::uint32_t* ids,
                                 const std::uint64_t* places, const float* ratios,
                                 const float* others, float* sums) {
    const float* rows[tile];
    float weights[tile];
    for (std::size_t t = 0; t < tile; ++t) {
        rows[t] = others + static_cast<std::size_t>(ids[t]) * topics;
        weights[t] = ratios[places[t]];
    }
    add_rows<V, tile>(topics, rows, weights, sums);
}

template <typename V>
BRAID_INLINE void gather(std::size_t topics, std::size_t entries, const std::uint32_t* ids,
                         const std::uint64_t* places, const float* ratios, const float* others,
                         float* sums) {
    std::fill_n(sums, topics, 0.0F);
    std::size_t i = 0;
    for (; i + kTile <= entries; i += kTile) {
        prefetch(topics, entries, i + kAhead, ids, others);
        gather_entries<V, kTile>(topics, ids + i, places + i, ratios, others, sums);
    }
    for (; i < entries; ++i) {
        gather_entries<V, 1>(topics, ids + i, places + i, ratios, others, sums);
    }
}

/// x <- x ^ power for normal x > 0: 2 ^ (power * log2(x)). The logarithm of the mantissa m in
/// [sqrt(1/2), sqrt(2)) is the odd series of log((1 + u) / (1 - u)) with u = (m - 1) / (m + 1),
/// |u| <= .172, whose first term left out is below 3e-8; 2 ^ fraction is its Taylor polynomial of
/// degree 6 around 0 on [-1/2, 1/2], error below 2e-7.
template <typename V>
BRAID_INLINE void raise(V& x, float power) {
    using Integer = typename IntegerOf<V>::Type;
    Integer bits;
    std::memcpy(&bits, &x, sizeof(V));
    // The exponent is taken from sqrt(1/2) up, so that mantissas lie around 1.
    constexpr std::int32_t kRootHalf = 0x3f3504f3;
    constexpr std::int32_t kMantissa = 0x007fffff;
    const Integer offset = bits - kRootHalf;
    const Integer exponent = offset >> 23;
    const Integer mantissa = (offset & kMantissa) + kRootHalf;
    V m;
    std::memcpy(&m, &mantissa, sizeof(V));
    const V u = (m - 1.0F) / (m + 1.0F);
    const V w = u * u;
    // 2 / ln 2 times 1, 1/3, 1/5, 1/7.
    const V series = u * (2.88539008F + w * (0.961796694F + w * (0.577078016F + w * 0.412198583F)));
    const V logarithm = __builtin_convertvector(exponent, V) + series;

    V scaled = logarithm * power;
    // 2 ^ -126 is the least normal number; smaller results don't occur, but must not wrap.
    scaled = scaled < -126.0F ? scaled * 0.0F - 126.0F : scaled;
    const V shifted = scaled + 127.5F;  // Positive, so that truncation rounds down.
    const Integer whole = __builtin_convertvector(shifted, Integer);
    const V fraction = scaled + 127.0F - __builtin_convertvector(whole, V);
    const V root =
        1.0F +
        fraction * (0.693147181F +
                    fraction * (0.240226507F +
                                fraction * (0.0555041087F +
                                            fraction * (0.00961812911F +
                                                        fraction * (0.00133335581F +
                                                                    fraction * 0.000154035304F)))));
    const Integer scale_bits = whole << 23;
    V scale;
    std::memcpy(&scale, &scale_bits, sizeof(V));
    x = root * scale;
}

template <typename V>
BRAID_INLINE void temper(std::size_t topics, const float* row, const float* factors, float floor,
                         float power, float* out) {
    float largest = 0;
    for (std::size_t z = 0; z < topics; ++z) {
        out[z] = row[z] * factors[z];
        largest = std::max(largest, out[z]);
    }
    if (!(largest > 0)) return;
    const float scale = 1 / largest;
    for (std::size_t z = 0; z < topics; z += kLanes<V>) {
        V x;
        V factor;
        load(x, out + z);
        load(factor, factors + z);
        x *= scale;
        x = x < floor ? x * 0.0F + floor : x;
        if (power != 1) raise<V>(x, power);
        x = factor == 0.0F ? factor : x;  // Padding has factor 0.
        store(out + z, x);
    }
}

// NOLINTBEGIN(bugprone-macro-parentheses): attributes can have none.
#define BRAID_MIXTURE_KERNELS(attributes, V)                                                       \
    {                                                                                              \
        [](std::size_t topics, std::size_t entries, const std::uint32_t* ids, const float* counts, \
           const float* row, const float* others, float* ratios, float* sums)                      \
            attributes { attribute<V>(topics, entries, ids, counts, row, others, ratios, sums); }, \
            [](std::size_t topics, std::size_t entries, const std::uint32_t* ids,                  \
               const std::uint64_t* places, const float* ratios, const float* others, float* sums) \
                attributes { gather<V>(topics, entries, ids, places, ratios, others, sums); },     \
            [](std::size_t topics, const float* row, const float* factors, float floor,            \
               float power, float* out)                                                            \
                attributes { temper<V>(topics, row, factors, floor, power, out); }                 \
    }
// NOLINTEND(bugprone-macro-parentheses)

constexpr MixtureKernels kBaselineKernels = BRAID_MIXTURE_KERNELS(, FourLanes);
constexpr MixtureKernels kAvx2Kernels = BRAID_MIXTURE_KERNELS(BRAID_AVX2, EightLanes);

}  // namespace

const MixtureKernels& mixture_kernels(InstructionLevel level) {
    return has_avx2(level) ? kAvx2Kernels : kBaselineKernels;
}

}  // namespace braid
