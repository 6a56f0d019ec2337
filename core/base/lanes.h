// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// How inner loops are compiled for more than one instruction set; not installed. A loop is a
// template over the vector type, inlined into one function for every x86-64 and one for AVX2.
// AVX2 without FMA, which rounds once where separate operations round twice: so that both give
// the same bits, a loop must only keep its sums in the same order for every number of lanes.

#include <cstddef>
#include <cstdint>
#include <cstring>

#define BRAID_INLINE inline __attribute__((always_inline))

namespace braid {

/// What every x86-64 machine has, or the best there is on this one.
enum class InstructionSet { kBaseline, kBest };

inline bool use_avx2(InstructionSet set) {
#ifdef __x86_64__
    return set == InstructionSet::kBest && __builtin_cpu_supports("avx2");
#else
    static_cast<void>(set);
    return false;
#endif
}

using FourLanes = float __attribute__((vector_size(16)));
using EightLanes = float __attribute__((vector_size(32)));

template <typename V>
inline constexpr std::size_t kLanes = sizeof(V) / sizeof(float);

template <typename V>
BRAID_INLINE void load(V& to, const float* from) {
    std::memcpy(&to, from, sizeof(V));
}

template <typename V>
BRAID_INLINE void store(float* to, const V& from) {
    std::memcpy(to, &from, sizeof(V));
}

}  // namespace braid

#ifdef __x86_64__
#define BRAID_AVX2 __attribute__((target("avx2")))
#else
#define BRAID_AVX2
#endif
