// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/checksum.h"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace braid {
namespace {

constexpr std::size_t kStep = 8;
constexpr std::uint32_t kPolynomial = 0x82f63b78;

using Table = std::array<std::uint32_t, 256>;

// tables[k][b]: what byte b does to the remainder when k bytes follow it in a step.
constexpr std::array<Table, kStep> make_tables() {
    std::array<Table, kStep> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value & 1U) != 0 ? value >> 1 ^ kPolynomial : value >> 1;
        }
        tables[0][byte] = value;
    }
    for (std::size_t k = 1; k < kStep; ++k) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[k - 1][byte];
            tables[k][byte] = before >> 8 ^ tables[0][before & 0xffU];
        }
    }
    return tables;
}

constexpr std::array<Table, kStep> kTables = make_tables();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
    return static_cast<unsigned char>(bytes[i]);
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(
    std::string_view bytes) noexcept {
    std::uint64_t remainder = 0xffffffffU;
    for (; bytes.size() >= kStep; bytes.remove_prefix(kStep)) {
        std::uint64_t next = 0;
        std::memcpy(&next, bytes.data(), kStep);
        remainder = _mm_crc32_u64(remainder, next);
    }
    auto last = static_cast<std::uint32_t>(remainder);
    if (bytes.size() >= 4) {
        std::uint32_t next = 0;
        std::memcpy(&next, bytes.data(), 4);
        last = _mm_crc32_u32(last, next);
        bytes.remove_prefix(4);
    }
    for (const char c : bytes) last = _mm_crc32_u8(last, static_cast<unsigned char>(c));
    return ~last;
}
#endif

}  // namespace

std::uint32_t crc32c_by_tables(std::string_view bytes) noexcept {
    std::uint32_t remainder = 0xffffffffU;
    for (; bytes.size() >= kStep; bytes.remove_prefix(kStep)) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < kStep; ++i) {
            const std::uint32_t mixed = i < 4 ? remainder >> (8 * i) & 0xffU : 0;
            next ^= kTables[kStep - 1 - i][mixed ^ byte_at(bytes, i)];
        }
        remainder = next;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        remainder = remainder >> 8 ^ kTables[0][(remainder & 0xffU) ^ byte_at(bytes, i)];
    }
    return ~remainder;
}

std::uint32_t crc32c(std::string_view bytes) noexcept {
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2") != 0) return crc32c_by_instruction(bytes);
#endif
    return crc32c_by_tables(bytes);
}

bool has_short_checksum(std::string_view bytes) noexcept {
    if (bytes.size() < kShortChecksumBytes) return false;
    const std::size_t covered = bytes.size() - kShortChecksumBytes;
    const std::uint32_t found = byte_at(bytes, covered) | byte_at(bytes, covered + 1) << 8;
    return short_checksum(bytes.substr(0, covered)) == found;
}

std::string Fnv1a::digits() const {
    std::string digits(16, '0');
    std::uint64_t rest = hash_;
    for (std::size_t i = digits.size(); i-- > 0; rest >>= 4) {
        digits[i] = "0123456789abcdef"[rest & 15U];
    }
    return digits;
}

}  // namespace braid
