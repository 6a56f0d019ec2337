// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Eight lanes of floats for the inner loop of collapsed Gibbs sampling: functions in plain C++ and
// for SSE2, which every amd64 machine has. Both do the same operations in the same order, so they
// give the same bits.

#include <array>
#include <cstddef>
#include <cstdint>

#include "braid/core/topics/lda_topic_list.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace braid {

struct PlainLanes {
    using Sum = std::array<float, 8>;

    static Sum zero() { return {}; }

    /// products[i] = count_i weights[topic_i], not counting one token of `own`; also added to `sum`
    /// by lane.
    static void multiply(const TopicGroup& group, std::uint16_t own, const float* weights,
                         float* products, Sum& sum) {
        for (std::size_t i = 0; i < 8; ++i) {
            const int count = group.counts[i] - (group.topics[i] == own ? 1 : 0);
            products[i] = weights[group.topics[i]] * static_cast<float>(count);
            sum[i] += products[i];
        }
    }

    /// Lane i is the sum of lanes 0 .. i, added in the order of the SSE2 version.
    static Sum prefix(const Sum& sum) {
        Sum result;
        for (const std::size_t half : {0U, 4U}) {
            const float* x = sum.data() + half;
            const float pairs[4] = {x[0], x[1] + x[0], x[2] + x[1], x[3] + x[2]};
            result[half] = pairs[0];
            result[half + 1] = pairs[1];
            result[half + 2] = pairs[2] + pairs[0];
            result[half + 3] = pairs[3] + pairs[1];
        }
        for (std::size_t i = 4; i < 8; ++i) result[i] += result[3];
        return result;
    }

    static void store(const Sum& sum, float* to) {
        for (std::size_t i = 0; i < 8; ++i) to[i] = sum[i];
    }

    /// The first lane of a prefix sum that exceeds `bound`; 7 if none does.
    static unsigned first_above(const Sum& prefix_sum, float bound) {
        for (unsigned i = 0; i < 7; ++i) {
            if (!(prefix_sum[i] <= bound)) return i;
        }
        return 7;
    }
};

#if defined(__SSE2__)
struct SseLanes {
    struct Sum {
        __m128 low;
        __m128 high;
    };

    static Sum zero() { return {_mm_setzero_ps(), _mm_setzero_ps()}; }

    static void multiply(const TopicGroup& group, std::uint16_t own, const float* weights,
                         float* products, Sum& sum) {
        const std::uint16_t* topics = group.topics.data();
        const __m128i ids = _mm_load_si128(reinterpret_cast<const __m128i*>(topics));
        __m128i counts = _mm_load_si128(reinterpret_cast<const __m128i*>(group.counts.data()));
        // A true comparison is -1.
        const __m128i is_own = _mm_cmpeq_epi16(ids, _mm_set1_epi16(static_cast<short>(own)));
        counts = _mm_add_epi16(counts, is_own);
        const __m128i nothing = _mm_setzero_si128();
        const __m128 low = _mm_mul_ps(gather(weights, topics),
                                      _mm_cvtepi32_ps(_mm_unpacklo_epi16(counts, nothing)));
        const __m128 high = _mm_mul_ps(gather(weights, topics + 4),
                                       _mm_cvtepi32_ps(_mm_unpackhi_epi16(counts, nothing)));
        _mm_store_ps(products, low);
        _mm_store_ps(products + 4, high);
        sum.low = _mm_add_ps(sum.low, low);
        sum.high = _mm_add_ps(sum.high, high);
    }

    static Sum prefix(const Sum& sum) {
        const __m128 low = prefix4(sum.low);
        return {low, _mm_add_ps(prefix4(sum.high), _mm_shuffle_ps(low, low, 0xff))};
    }

    static void store(const Sum& sum, float* to) {
        _mm_store_ps(to, sum.low);
        _mm_store_ps(to + 4, sum.high);
    }

    static unsigned first_above(const Sum& prefix_sum, float bound) {
        const __m128 bounds = _mm_set1_ps(bound);
        const auto low =
            static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(prefix_sum.low, bounds)));
        const auto high =
            static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(prefix_sum.high, bounds)));
        return static_cast<unsigned>(__builtin_ctz(~(low | high << 4U) | 0x80U));
    }

  private:
    static __m128 gather(const float* weights, const std::uint16_t* topics) {
        const __m128 a =
            _mm_unpacklo_ps(_mm_load_ss(weights + topics[0]), _mm_load_ss(weights + topics[1]));
        const __m128 b =
            _mm_unpacklo_ps(_mm_load_ss(weights + topics[2]), _mm_load_ss(weights + topics[3]));
        return _mm_movelh_ps(a, b);
    }

    static __m128 prefix4(__m128 x) {
        x = _mm_add_ps(x, shift<4>(x));
        return _mm_add_ps(x, shift<8>(x));
    }

    template <int kBytes>
    static __m128 shift(__m128 x) {
        return _mm_castsi128_ps(_mm_slli_si128(_mm_castps_si128(x), kBytes));
    }
};

using LdaLanes = SseLanes;
#else
using LdaLanes = PlainLanes;
#endif

}  // namespace braid
