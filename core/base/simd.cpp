// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/simd.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace braid {
namespace {

#ifdef __x86_64__
// Which clang 14 doesn't know by name. Where the system keeps AVX2's registers it keeps its.
bool has_f16c() {
    unsigned int unused[3] = {};
    unsigned int features = 0;
    return __get_cpuid(1, &unused[0], &unused[1], &features, &unused[2]) != 0 &&
           (features & bit_F16C) != 0;
}
#endif

}  // namespace

std::string_view to_string(InstructionLevel level) {
    switch (level) {
        case InstructionLevel::kPlain:
            return "plain";
        case InstructionLevel::kSse41:
            return "sse4.1";
        case InstructionLevel::kAvx2:
            return "avx2";
        case InstructionLevel::kAvx512:
            break;
    }
    return "avx512";
}

bool is_supported(InstructionLevel level) {
#ifdef __x86_64__
    switch (level) {
        case InstructionLevel::kPlain:
            return true;
        case InstructionLevel::kSse41:
            return __builtin_cpu_supports("sse4.1") != 0;
        case InstructionLevel::kAvx2:
            return __builtin_cpu_supports("avx2") != 0 && has_f16c();
        case InstructionLevel::kAvx512:
            break;
    }
    return is_supported(InstructionLevel::kAvx2) && __builtin_cpu_supports("avx512f") != 0 &&
           __builtin_cpu_supports("avx512bw") != 0;
#else
    return level == InstructionLevel::kPlain;
#endif
}

InstructionLevel best_instruction_level() {
    InstructionLevel best = InstructionLevel::kPlain;
    for (const InstructionLevel level : kInstructionLevels) {
        if (is_supported(level)) best = level;
    }
    return best;
}

}  // namespace braid
