// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/dot_kernels.h"

#include <bit>

namespace braid {
namespace {

// Loops that a compiler turns into whatever vectors the architecture has. Codes are little-endian
// on every machine.

std::uint32_t byte_at(const char* codes, std::size_t i) {
    return static_cast<unsigned char>(codes[i]);
}

struct SignedByte {
    static constexpr std::size_t kBytes = 1;
    static std::int32_t load(const char* at) { return static_cast<signed char>(*at); }
};

struct UnsignedByte {
    static constexpr std::size_t kBytes = 1;
    static std::int32_t load(const char* at) { return static_cast<unsigned char>(*at); }
};

struct Half {
    static constexpr std::size_t kBytes = 2;
    // Without branches, unlike from_half(). Exponent and fraction, moved to their places in a
    // float, are too small by a factor of 2^112, subnormals included: one exact product.
    static float load(const char* at) {
        const std::uint32_t half = byte_at(at, 0) | byte_at(at, 1) << 8;
        const std::uint32_t magnitude = half & 0x7fffU;
        const std::uint32_t bits =
            std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112F);
        const std::uint32_t special = magnitude > 0x7bffU ? 0x7f800000U : 0U;
        return std::bit_cast<float>(bits | special | (half & 0x8000U) << 16);
    }
};

struct Float {
    static constexpr std::size_t kBytes = 4;
    static float load(const char* at) {
        return std::bit_cast<float>(byte_at(at, 0) | byte_at(at, 1) << 8 | byte_at(at, 2) << 16 |
                                    byte_at(at, 3) << 24);
    }
};

template <typename Code>
std::int32_t whole_dot(const std::int16_t* query, const char* codes, DotShape shape) {
    std::int32_t sum = 0;
    for (std::size_t block = 0; block <= shape.full; ++block) {
        const std::size_t first = block < shape.full ? block * kDotBlock : shape.last;
        for (std::size_t i = 0; i < kDotBlock; ++i) {
            sum += query[block * kDotBlock + i] * Code::load(codes + first + i);
        }
    }
    return sum;
}

template <typename Code>
float float_dot(const float* query, const char* codes, DotShape shape) {
    float lanes[kDotBlock] = {};
    for (std::size_t block = 0; block <= shape.full; ++block) {
        const std::size_t first = block < shape.full ? block * kDotBlock : shape.last;
        for (std::size_t i = 0; i < kDotBlock; ++i) {
            lanes[i] +=
                query[block * kDotBlock + i] * Code::load(codes + (first + i) * Code::kBytes);
        }
    }
    for (std::size_t half = kDotBlock / 2; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    }
    return lanes[0];
}

constexpr DotKernels kPlainDotKernels = {whole_dot<SignedByte>, whole_dot<UnsignedByte>,
                                         float_dot<Half>, float_dot<Float>};

}  // namespace

const DotKernels& dot_kernels(InstructionLevel level) {
#ifdef __x86_64__
    switch (level) {
        case InstructionLevel::kPlain:
            break;
        case InstructionLevel::kSse41:
            return kSse41DotKernels;
        case InstructionLevel::kAvx2:
            return kAvx2DotKernels;
        case InstructionLevel::kAvx512:
            return kAvx512DotKernels;
    }
#else
    static_cast<void>(level);
#endif
    return kPlainDotKernels;
}

}  // namespace braid
