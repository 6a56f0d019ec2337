// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "braid/core/base/export.h"

namespace braid {

/// Instruction sets that products with stored vectors are compiled for, each including those
/// before it. All give the same bits; they differ in time only.
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
BRAID_API std::string_view to_string(InstructionLevel level);

/// Whether this machine has it. kPlain is always there.
BRAID_API bool is_supported(InstructionLevel level);

/// The last of kInstructionLevels that this machine has.
BRAID_API InstructionLevel best_instruction_level();

}  // namespace braid
