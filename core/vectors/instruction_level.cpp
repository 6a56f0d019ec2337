// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/instruction_level.h"

namespace braid {

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
            return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
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
