// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "braid/error.h"

/// Attributes of a function that is compiled for one instruction set. A loop for several sets is a
/// BRAID_INLINE template over the vector type, which one function for each set calls.
#define BRAID_INLINE inline __attribute__((always_inline))
#ifdef __x86_64__
#define BRAID_SSE41 __attribute__((target("sse4.1")))
#define BRAID_AVX2 __attribute__((target("avx2,f16c")))
#define BRAID_AVX512 __attribute__((target("avx512f,avx512bw")))
#else
#define BRAID_AVX2  // The loops that use it are plain C++.
#endif

namespace braid {

/// Instruction sets that inner loops are compiled for, each including those before it. All give
/// the same bits and differ only in time: a loop keeps its sums in the same order for every number
/// of lanes, and the build has no fused multiply-add (-ffp-contract=off), which rounds once where
/// separate operations round twice.
enum class InstructionLevel : std::uint8_t {
    kPlain,   ///< What every machine of the build's architecture has.
    kSse41,   ///< SSE4.1.
    kAvx2,    ///< AVX2 and F16C.
    kAvx512,  ///< AVX-512 F and BW.
};

inline constexpr InstructionLevel kInstructionLevels[] = {
    InstructionLevel::kPlain, InstructionLevel::kSse41, InstructionLevel::kAvx2,
    InstructionLevel::kAvx512};

/// "plain", "sse4.1", "avx2" or "avx512".
std::string_view to_string(InstructionLevel level);

/// Whether this machine has it. kPlain is always there.
bool is_supported(InstructionLevel level);

/// The last of kInstructionLevels that this machine has. Asks the processor once.
BRAID_API InstructionLevel best_instruction_level();

/// Whether loops that have a version for AVX2 use it.
inline bool has_avx2(InstructionLevel level) { return level >= InstructionLevel::kAvx2; }

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
