// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

/// IEEE binary16 from a finite float, rounded to nearest, ties to even. Too large values become
/// infinite, too small ones subnormal or zero.
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

/// Encoding of a stored vector's components; docs/formats.md has the bytes.
enum class VectorCoding : std::uint8_t {
    kSigned8,    ///< One byte, -127 .. 127.
    kUnsigned8,  ///< One byte, 0 .. 255, for vectors without negative components.
    kFloat16,    ///< IEEE binary16: 2 bytes.
    kFloat32,    ///< IEEE binary32: 4 bytes.
};

/// Number of bytes of a component.
BRAID_API std::size_t bytes_per_component(VectorCoding coding);

/// A stored vector's metadata.
struct VectorInfo {
    VectorCoding coding = VectorCoding::kSigned8;
    /// Distinguishes the vectors of one model from another's in the same slot.
    std::uint8_t model_tag = 0;
    /// The document's length, in terms, when the vector was made: if it differs now, the document
    /// has changed since.
    std::uint64_t document_length = 0;

    bool operator==(const VectorInfo&) const = default;
};

/// A stored vector, parsed but not decoded. Borrows its bytes.
struct StoredVector {
    VectorInfo info;
    float scale = 0;              ///< Component = scale * code.
    std::string_view codes = {};  ///< dimensions * bytes_per_component(info.coding) bytes.
    bool is_checked = false;      ///< Has a correct checksum; old versions have none.
};

/// Encodes a vector of Euclidean length 1 or 0. Scales 8-bit codes so that the decoded vector has
/// length 1, up to the rounding of a float. Throws InvalidArgument for a component that is not
/// finite, or negative for an unsigned coding.
BRAID_API std::string encode_vector(const VectorInfo& info, std::span<const float> vector);

/// The same form with whole numbers of 32 bits in place of components: docs/formats.md, neighbours.
/// `info.coding` must be kFloat32.
BRAID_API std::string encode_numbers(const VectorInfo& info, std::span<const std::int32_t> numbers);

/// Number `i` of what encode_numbers wrote, or 0 beyond the end.
inline std::int32_t number_at(const StoredVector& stored, std::size_t i) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t k = 4; k-- > 0 && 4 * i + 3 < stored.codes.size();) {
        bits = bits << 8 | static_cast<unsigned char>(stored.codes[4 * i + k]);
    }
    return static_cast<std::int32_t>(bits);
}

/// Parses the bytes of encode_vector, of this or an older version. `where` is for messages. Throws
/// FormatError for bytes that are not a stored vector, of a newer version, damaged (by their
/// checksum), or not of `dimensions` components. One pass over the bytes, 8 in about 3 cycles.
BRAID_API StoredVector open_vector(std::string_view bytes, std::size_t dimensions,
                                   std::string_view where);

/// Likewise for searches, which a bad document must not stop: empty if open_vector would throw.
/// Neither allocates nor throws.
BRAID_API std::optional<StoredVector> try_open_vector(std::string_view bytes,
                                                      std::size_t dimensions) noexcept;

/// Whether stored vectors, of any version, begin with that byte.
BRAID_API bool is_vector_start(char byte) noexcept;

/// Whether the version in `bytes` has a checksum at the end.
BRAID_API bool is_vector_checked(std::string_view bytes) noexcept;

/// Writes the components to `result`, of the vector's dimensions. O(dimensions).
BRAID_API void decode_vector(const StoredVector& stored, std::span<float> result);

}  // namespace braid
