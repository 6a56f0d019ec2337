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

#include "braid/core/base/export.h"

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

/// How a component of a stored vector is written; docs/formats.md has the bytes.
enum class VectorCoding : std::uint8_t {
    kSigned8,    ///< One byte, -127 .. 127.
    kUnsigned8,  ///< One byte, 0 .. 255, for vectors without negative components.
    kFloat16,    ///< IEEE binary16: 2 bytes.
    kFloat32,    ///< IEEE binary32: 4 bytes.
};

/// Bytes that one component takes.
BRAID_API std::size_t bytes_per_component(VectorCoding coding);

/// What a stored vector says beside its components.
struct VectorInfo {
    VectorCoding coding = VectorCoding::kSigned8;
    /// Tells the vectors of one model from those of another in the same place.
    std::uint8_t model_tag = 0;
    /// The document's length, in terms, when the vector was made: another length now means that
    /// the document has changed since.
    std::uint64_t document_length = 0;

    bool operator==(const VectorInfo&) const = default;
};

/// A stored vector, opened but not decoded. Borrows its bytes.
struct StoredVector {
    VectorInfo info;
    float scale = 0;              ///< Component = scale * code.
    std::string_view codes = {};  ///< dimensions * bytes_per_component(info.coding) bytes.
    bool is_checked = false;  ///< Has a checksum, which was right; those of old versions lack it.
};

/// Writes a vector of Euclidean length 1 or 0. Codes of 8 bits are scaled so that what is decoded
/// again has length 1, up to the rounding of a float. Throws InvalidArgument for a component that
/// is not finite, or negative where the coding is unsigned.
BRAID_API std::string encode_vector(const VectorInfo& info, std::span<const float> vector);

/// Opens what encode_vector wrote, now or in older versions. `where` is for messages. Throws
/// FormatError for bytes that are no stored vector, of a newer version, damaged (by their
/// checksum), or not of `dimensions` components. One pass over the bytes, 8 in about 3 cycles.
BRAID_API StoredVector open_vector(std::string_view bytes, std::size_t dimensions,
                                   std::string_view where);

/// The same for bytes that may be anything, where a document must not stop a search: nothing for
/// what open_vector throws at. Neither allocates nor throws.
BRAID_API std::optional<StoredVector> try_open_vector(std::string_view bytes,
                                                      std::size_t dimensions) noexcept;

/// Whether stored vectors, of any version, begin with that byte.
BRAID_API bool is_vector_start(char byte) noexcept;

/// Whether the version of the vector that `bytes` are says that they end in a checksum.
BRAID_API bool is_vector_checked(std::string_view bytes) noexcept;

/// The components, in `result`, which has the vector's dimensions. O(dimensions).
BRAID_API void decode_vector(const StoredVector& stored, std::span<float> result);

}  // namespace braid
