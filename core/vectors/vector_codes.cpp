// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/vector_codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/checksum.h"
#include "braid/error.h"

namespace braid {
namespace {

// The first byte: four fixed bits, two of version, two of coding. A byte at 0xb0 and above begins
// neither UTF-8 text nor what Xapian's sortable_serialise makes of numbers under 2^32.
constexpr unsigned kMagic = 0xb0;
constexpr unsigned kMagicMask = 0xf0;
constexpr unsigned kVersion = 1;
constexpr unsigned kFirstChecked = 1;  // Version 0 ends without a checksum.

unsigned version_of(unsigned first) { return first >> 2 & 3U; }

std::uint32_t load_u32(const char* bytes) {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::uint16_t load_u16(const char* bytes) {
    return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[0]) |
                                      static_cast<unsigned char>(bytes[1]) << 8);
}

void append_u32(std::string& out, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

void append_u16(std::string& out, std::uint16_t value) {
    out += static_cast<char>(value & 0xffU);
    out += static_cast<char>(value >> 8);
}

// Numbers themselves have no scale: a changed coding that happens to have as many bytes shows.
bool is_scale_of(VectorCoding coding, float scale) {
    const bool is_byte = bytes_per_component(coding) == 1;
    return is_byte ? scale >= 0 && scale <= 1 : scale == 1;
}

void check_vector(const VectorInfo& info, std::span<const float> vector) {
    for (std::size_t i = 0; i < vector.size(); ++i) {
        if (!std::isfinite(vector[i])) {
            throw InvalidArgument(
                fmt::format("component {} of a vector is {}, expected a finite "
                            "number",
                            i, vector[i]));
        }
        if (info.coding == VectorCoding::kUnsigned8 && vector[i] < 0) {
            throw InvalidArgument(
                fmt::format("component {} of a vector is {}, expected none below "
                            "0 for unsigned codes",
                            i, vector[i]));
        }
    }
}

// Codes that use the whole range, and the scale that brings them back to length 1. The sum of
// squares is an integer, so the scale does not depend on the order of summation.
float append_bytes(std::string& out, std::span<const float> vector, float range) {
    float largest = 0;
    for (const float x : vector) largest = std::max(largest, std::fabs(x));
    if (largest == 0) {
        out.append(vector.size(), '\0');
        return 0;
    }
    std::uint64_t squares = 0;
    for (const float x : vector) {
        const int code = static_cast<int>(std::nearbyint(x / largest * range));
        squares += static_cast<std::uint64_t>(code * code);
        out += static_cast<char>(code);
    }
    return static_cast<float>(1 / std::sqrt(static_cast<double>(squares)));
}

float append_codes(std::string& out, VectorCoding coding, std::span<const float> vector) {
    switch (coding) {
        case VectorCoding::kSigned8:
            return append_bytes(out, vector, 127);
        case VectorCoding::kUnsigned8:
            return append_bytes(out, vector, 255);
        case VectorCoding::kFloat16:
            for (const float x : vector) append_u16(out, to_half(x));
            return 1;
        case VectorCoding::kFloat32:
            break;
    }
    for (const float x : vector) append_u32(out, std::bit_cast<std::uint32_t>(x));
    return 1;
}

}  // namespace

std::size_t bytes_per_component(VectorCoding coding) {
    switch (coding) {
        case VectorCoding::kSigned8:
        case VectorCoding::kUnsigned8:
            return 1;
        case VectorCoding::kFloat16:
            return 2;
        case VectorCoding::kFloat32:
            break;
    }
    return 4;
}

namespace {

std::string with_head(const VectorInfo& info, float scale, const std::string& codes) {
    ByteWriter head;
    head.varint(info.document_length);
    std::string out;
    out.reserve(codes.size() + head.bytes().size() + 6 + kShortChecksumBytes);
    out += static_cast<char>(kMagic | kVersion << 2 | static_cast<unsigned>(info.coding));
    out += static_cast<char>(info.model_tag);
    out += head.bytes();
    append_u32(out, std::bit_cast<std::uint32_t>(scale));
    out += codes;
    append_u16(out, short_checksum(out));
    return out;
}

}  // namespace

std::string encode_vector(const VectorInfo& info, std::span<const float> vector) {
    check_vector(info, vector);
    std::string codes;
    codes.reserve(vector.size() * bytes_per_component(info.coding));
    const float scale = append_codes(codes, info.coding, vector);
    return with_head(info, scale, codes);
}

std::string encode_numbers(const VectorInfo& info, std::span<const std::int32_t> numbers) {
    if (info.coding != VectorCoding::kFloat32) {
        throw InvalidArgument("whole numbers have the coding of 32-bit components");
    }
    std::string codes;
    codes.reserve(4 * numbers.size());
    for (const std::int32_t number : numbers) append_u32(codes, static_cast<std::uint32_t>(number));
    return with_head(info, 1, codes);
}

StoredVector open_vector(std::string_view bytes, std::size_t dimensions, std::string_view where) {
    ByteReader start(bytes, std::string(where));
    const unsigned first = static_cast<unsigned char>(start.raw("vector", 1)[0]);
    if ((first & kMagicMask) != kMagic) start.fail("vector", "found a foreign value");
    const unsigned version = version_of(first);
    if (version > kVersion) {
        start.fail("vector", fmt::format("found version {}, can read 0 to {}", version, kVersion));
    }
    StoredVector stored;
    stored.is_checked = version >= kFirstChecked;
    if (stored.is_checked) {
        if (!has_short_checksum(bytes)) {
            start.fail("vector", "found another checksum than that of its bytes: it is damaged");
        }
        bytes.remove_suffix(kShortChecksumBytes);
    }
    ByteReader in(bytes.substr(1), std::string(where));
    stored.info.coding = static_cast<VectorCoding>(first & 3U);
    stored.info.model_tag = static_cast<unsigned char>(in.raw("model tag", 1)[0]);
    stored.info.document_length = in.varint("document length");
    stored.scale = std::bit_cast<float>(load_u32(in.raw("scale", 4).data()));
    if (!is_scale_of(stored.info.coding, stored.scale)) {
        in.fail("scale", "expected 0 to 1 for bytes, 1 for others");
    }
    const std::size_t expected = dimensions * bytes_per_component(stored.info.coding);
    if (in.remaining() != expected) {
        in.fail("components", fmt::format("found {} bytes, expected {} for {} dimensions",
                                          in.remaining(), expected, dimensions));
    }
    stored.codes = in.raw("components", expected);
    return stored;
}

std::optional<StoredVector> try_open_vector(std::string_view bytes,
                                            std::size_t dimensions) noexcept {
    if (bytes.size() < 2) return {};
    const unsigned first = static_cast<unsigned char>(bytes[0]);
    if ((first & kMagicMask) != kMagic || version_of(first) > kVersion) return {};
    StoredVector stored;
    stored.is_checked = version_of(first) >= kFirstChecked;
    if (stored.is_checked) {
        if (bytes.size() < 2 + kShortChecksumBytes || !has_short_checksum(bytes)) return {};
        bytes.remove_suffix(kShortChecksumBytes);
    }
    stored.info.coding = static_cast<VectorCoding>(first & 3U);
    stored.info.model_tag = static_cast<unsigned char>(bytes[1]);
    std::size_t position = 2;
    // A varint of one form: 64 bits, and no zeros on top.
    for (unsigned shift = 0;; shift += 7) {
        if (position == bytes.size() || shift > 63) return {};
        const unsigned byte = static_cast<unsigned char>(bytes[position++]);
        if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0)) return {};
        stored.info.document_length |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) break;
    }
    const std::size_t expected = dimensions * bytes_per_component(stored.info.coding);
    if (bytes.size() - position != expected + 4) return {};
    stored.scale = std::bit_cast<float>(load_u32(bytes.data() + position));
    if (!is_scale_of(stored.info.coding, stored.scale)) return {};
    stored.codes = std::string_view(bytes.data() + position + 4, expected);
    return stored;
}

bool is_vector_start(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & kMagicMask) == kMagic;
}

bool is_vector_checked(std::string_view bytes) noexcept {
    const unsigned first = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]);
    return !bytes.empty() && is_vector_start(bytes[0]) && version_of(first) >= kFirstChecked;
}

void decode_vector(const StoredVector& stored, std::span<float> result) {
    const char* codes = stored.codes.data();
    for (std::size_t i = 0; i < result.size(); ++i) {
        switch (stored.info.coding) {
            case VectorCoding::kSigned8:
                result[i] = stored.scale * static_cast<float>(static_cast<signed char>(codes[i]));
                break;
            case VectorCoding::kUnsigned8:
                result[i] = stored.scale * static_cast<float>(static_cast<unsigned char>(codes[i]));
                break;
            case VectorCoding::kFloat16:
                result[i] = from_half(load_u16(codes + 2 * i));
                break;
            case VectorCoding::kFloat32:
                result[i] = std::bit_cast<float>(load_u32(codes + 4 * i));
                break;
        }
    }
}

}  // namespace braid
