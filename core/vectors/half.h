// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace braid {

/// IEEE binary16 from a finite float, rounded to nearest, ties to even. What is too large becomes
/// infinite, what is too small a subnormal or zero.
inline std::uint16_t to_half(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const float magnitude = std::fabs(value);
    if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00U);
    if (magnitude < 0x1p-14F) {  // subnormal: a multiple of 2^-24
        const float units = std::nearbyint(magnitude * 0x1p24F);
        return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(units));
    }
    // Adding half of the last kept place, less the tie-breaking bit, carries into the exponent.
    const std::uint32_t kept = std::bit_cast<std::uint32_t>(magnitude);
    const std::uint32_t rounded = kept + 0xfffU + ((kept >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded - (112U << 23)) >> 13));
}

inline float from_half(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fU;
    const std::uint32_t fraction = half & 0x3ffU;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 31 ? 255U : exponent + 112U;
    return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

}  // namespace braid
