// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/dot_kernels.h"

#ifdef __x86_64__

// g++ 12 warns of registers that its own header leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

// One set of loads for each instruction set and coding, then the same two loops for all. A load
// reads one register's worth of components; every read of codes is an unaligned one.

namespace braid {
namespace {

template <typename Register, typename T>
const Register* as(const T* at) {
    return reinterpret_cast<const Register*>(at);
}

/// The sum of lanes i, i + 2, then 0, 1 of four.
BRAID_SSE41 BRAID_INLINE float add_four(__m128 x) {
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_shuffle_ps(x, x, 1)));
}

BRAID_SSE41 BRAID_INLINE std::int32_t add_four(__m128i x) {
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1)));
}

struct Sse41 {
    using Floats = __m128;
    using Wholes = __m128i;
    static constexpr std::size_t kFloats = 4;
    static constexpr std::size_t kShorts = 8;

    BRAID_SSE41 BRAID_INLINE static __m128 zero_floats() { return _mm_setzero_ps(); }
    BRAID_SSE41 BRAID_INLINE static __m128i zero_wholes() { return _mm_setzero_si128(); }
    BRAID_SSE41 BRAID_INLINE static __m128i signed_bytes(const char* at) {
        return _mm_cvtepi8_epi16(_mm_loadl_epi64(as<__m128i>(at)));
    }
    BRAID_SSE41 BRAID_INLINE static __m128i unsigned_bytes(const char* at) {
        return _mm_cvtepu8_epi16(_mm_loadl_epi64(as<__m128i>(at)));
    }
    BRAID_SSE41 BRAID_INLINE static __m128i multiply_add(__m128i sum, const std::int16_t* query,
                                                         __m128i codes) {
        return _mm_add_epi32(sum, _mm_madd_epi16(codes, _mm_load_si128(as<__m128i>(query))));
    }
    BRAID_SSE41 BRAID_INLINE static std::int32_t reduce(__m128i sum) { return add_four(sum); }

    BRAID_SSE41 BRAID_INLINE static __m128 floats(const char* at) {
        return _mm_castsi128_ps(_mm_loadu_si128(as<__m128i>(at)));
    }
    // As Half::load() of the plain loops.
    BRAID_SSE41 BRAID_INLINE static __m128 halves(const char* at) {
        const __m128i half = _mm_cvtepu16_epi32(_mm_loadl_epi64(as<__m128i>(at)));
        const __m128i magnitude = _mm_and_si128(half, _mm_set1_epi32(0x7fff));
        const __m128 value =
            _mm_mul_ps(_mm_castsi128_ps(_mm_slli_epi32(magnitude, 13)), _mm_set1_ps(0x1p112F));
        const __m128i special = _mm_and_si128(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7bff)),
                                              _mm_set1_epi32(0x7f800000));
        const __m128i sign = _mm_slli_epi32(_mm_xor_si128(half, magnitude), 16);
        return _mm_or_ps(value, _mm_castsi128_ps(_mm_or_si128(special, sign)));
    }
    BRAID_SSE41 BRAID_INLINE static __m128 multiply_add(__m128 sum, const float* query,
                                                        __m128 codes) {
        return _mm_add_ps(sum, _mm_mul_ps(codes, _mm_load_ps(query)));
    }
    BRAID_SSE41 BRAID_INLINE static float reduce(const __m128* x) {
        const __m128 a = _mm_add_ps(_mm_add_ps(x[0], x[4]), _mm_add_ps(x[2], x[6]));
        const __m128 b = _mm_add_ps(_mm_add_ps(x[1], x[5]), _mm_add_ps(x[3], x[7]));
        return add_four(_mm_add_ps(a, b));
    }
};

struct Avx2 {
    using Floats = __m256;
    using Wholes = __m256i;
    static constexpr std::size_t kFloats = 8;
    static constexpr std::size_t kShorts = 16;

    BRAID_AVX2 BRAID_INLINE static __m256 zero_floats() { return _mm256_setzero_ps(); }
    BRAID_AVX2 BRAID_INLINE static __m256i zero_wholes() { return _mm256_setzero_si256(); }
    BRAID_AVX2 BRAID_INLINE static __m256i signed_bytes(const char* at) {
        return _mm256_cvtepi8_epi16(_mm_loadu_si128(as<__m128i>(at)));
    }
    BRAID_AVX2 BRAID_INLINE static __m256i unsigned_bytes(const char* at) {
        return _mm256_cvtepu8_epi16(_mm_loadu_si128(as<__m128i>(at)));
    }
    BRAID_AVX2 BRAID_INLINE static __m256i multiply_add(__m256i sum, const std::int16_t* query,
                                                        __m256i codes) {
        return _mm256_add_epi32(sum,
                                _mm256_madd_epi16(codes, _mm256_load_si256(as<__m256i>(query))));
    }
    BRAID_AVX2 BRAID_INLINE static std::int32_t reduce(__m256i sum) {
        return add_four(
            _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1)));
    }

    BRAID_AVX2 BRAID_INLINE static __m256 floats(const char* at) {
        return _mm256_castsi256_ps(_mm256_loadu_si256(as<__m256i>(at)));
    }
    BRAID_AVX2 BRAID_INLINE static __m256 halves(const char* at) {
        return _mm256_cvtph_ps(_mm_loadu_si128(as<__m128i>(at)));
    }
    BRAID_AVX2 BRAID_INLINE static __m256 multiply_add(__m256 sum, const float* query,
                                                       __m256 codes) {
        return _mm256_add_ps(sum, _mm256_mul_ps(codes, _mm256_load_ps(query)));
    }
    BRAID_AVX2 BRAID_INLINE static float reduce(const __m256* x) {
        const __m256 sum = _mm256_add_ps(_mm256_add_ps(x[0], x[2]), _mm256_add_ps(x[1], x[3]));
        return add_four(_mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1)));
    }
};

struct Avx512 {
    using Floats = __m512;
    using Wholes = __m512i;
    static constexpr std::size_t kFloats = 16;
    static constexpr std::size_t kShorts = 32;

    BRAID_AVX512 BRAID_INLINE static __m512 zero_floats() { return _mm512_setzero_ps(); }
    BRAID_AVX512 BRAID_INLINE static __m512i zero_wholes() { return _mm512_setzero_si512(); }
    BRAID_AVX512 BRAID_INLINE static __m512i signed_bytes(const char* at) {
        return _mm512_cvtepi8_epi16(_mm256_loadu_si256(as<__m256i>(at)));
    }
    BRAID_AVX512 BRAID_INLINE static __m512i unsigned_bytes(const char* at) {
        return _mm512_cvtepu8_epi16(_mm256_loadu_si256(as<__m256i>(at)));
    }
    BRAID_AVX512 BRAID_INLINE static __m512i multiply_add(__m512i sum, const std::int16_t* query,
                                                          __m512i codes) {
        return _mm512_add_epi32(sum, _mm512_madd_epi16(codes, _mm512_load_si512(query)));
    }
    BRAID_AVX512 BRAID_INLINE static std::int32_t reduce(__m512i sum) {
        const __m256i half =
            _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
        return add_four(
            _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
    }

    BRAID_AVX512 BRAID_INLINE static __m512 floats(const char* at) { return _mm512_loadu_ps(at); }
    BRAID_AVX512 BRAID_INLINE static __m512 halves(const char* at) {
        return _mm512_cvtph_ps(_mm256_loadu_si256(as<__m256i>(at)));
    }
    BRAID_AVX512 BRAID_INLINE static __m512 multiply_add(__m512 sum, const float* query,
                                                         __m512 codes) {
        return _mm512_add_ps(sum, _mm512_mul_ps(codes, _mm512_load_ps(query)));
    }
    BRAID_AVX512 BRAID_INLINE static float reduce(const __m512* x) {
        const __m512 sum = _mm512_add_ps(x[0], x[1]);
        const __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(sum), 1));
        const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(sum), high);
        return add_four(_mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
    }
};

// The loops can't be templates over the instruction set: an attribute can't depend on a parameter.
// NOLINTBEGIN(bugprone-macro-parentheses): attributes can have none.
#define BRAID_WHOLE_LOOP(attributes, set, bytes)                                                   \
    [](const std::int16_t* query, const char* codes, DotShape shape) attributes -> std::int32_t {  \
        set::Wholes sum = set::zero_wholes();                                                      \
        for (std::size_t block = 0; block <= shape.full; ++block) {                                \
            const char* from = codes + (block < shape.full ? block * kDotBlock : shape.last);      \
            _Pragma("GCC unroll 4") for (std::size_t i = 0; i < kDotBlock; i += set::kShorts) {    \
                sum = set::multiply_add(sum, query + block * kDotBlock + i, set::bytes(from + i)); \
            }                                                                                      \
        }                                                                                          \
        return set::reduce(sum);                                                                   \
    }
#define BRAID_FLOAT_LOOP(attributes, set, codes_of, width)                                         \
    [](const float* query, const char* codes, DotShape shape) attributes -> float {                \
        const std::size_t parts = kDotBlock / set::kFloats;                                        \
        set::Floats sums[parts];                                                                   \
        for (std::size_t i = 0; i < parts; ++i) sums[i] = set::zero_floats();                      \
        for (std::size_t block = 0; block <= shape.full; ++block) {                                \
            const std::size_t first = block < shape.full ? block * kDotBlock : shape.last;         \
            const char* from = codes + first * (width);                                            \
            _Pragma("GCC unroll 8") for (std::size_t i = 0; i < parts; ++i) {                      \
                sums[i] = set::multiply_add(sums[i], query + block * kDotBlock + i * set::kFloats, \
                                            set::codes_of(from + i * set::kFloats * (width)));     \
            }                                                                                      \
        }                                                                                          \
        return set::reduce(sums);                                                                  \
    }
// NOLINTEND(bugprone-macro-parentheses)
#define BRAID_DOT_KERNELS(attributes, set)                     \
    {                                                          \
        BRAID_WHOLE_LOOP(attributes, set, signed_bytes),       \
            BRAID_WHOLE_LOOP(attributes, set, unsigned_bytes), \
            BRAID_FLOAT_LOOP(attributes, set, halves, 2),      \
            BRAID_FLOAT_LOOP(attributes, set, floats, 4)       \
    }

}  // namespace

const DotKernels kSse41DotKernels = BRAID_DOT_KERNELS(BRAID_SSE41, Sse41);
const DotKernels kAvx2DotKernels = BRAID_DOT_KERNELS(BRAID_AVX2, Avx2);
const DotKernels kAvx512DotKernels = BRAID_DOT_KERNELS(BRAID_AVX512, Avx512);

}  // namespace braid

#endif
