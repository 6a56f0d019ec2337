// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "braid/error.h"

namespace braid {

/// CRC-32C (Castagnoli: reflected, initial value and final exclusive or of all ones), the checksum
/// of everything that Braid stores: docs/decisions/0008-checksums.md. Sees every change within 4
/// bytes in a row; other damage passes once in 2^32 cases. Not against anyone who forges bytes.
/// About 3 cycles for 8 bytes by the instruction of SSE4.2, 11 elsewhere.
BRAID_API std::uint32_t crc32c(std::string_view bytes) noexcept;

/// The same without special instructions.
std::uint32_t crc32c_by_tables(std::string_view bytes) noexcept;

/// The last 16 bits of crc32c, for values that a database holds one of for each document. Sees
/// every change of one byte within the last kShortChecksumReach; other damage passes once in 2^16
/// cases.
inline std::uint16_t short_checksum(std::string_view bytes) noexcept {
    return static_cast<std::uint16_t>(crc32c(bytes));
}
inline constexpr std::size_t kShortChecksumReach = 1135;
inline constexpr std::size_t kShortChecksumBytes = 2;

/// Whether `bytes` end in the short checksum of those before it, lowest byte first.
BRAID_API bool has_short_checksum(std::string_view bytes) noexcept;

/// The 64-bit FNV-1a hash, fed piece by piece: the same on every machine, for names of things
/// that are stored. Not against anyone who wants two of them to collide.
class BRAID_API Fnv1a {
  public:
    void add(std::string_view bytes) {
        for (const char c : bytes) {
            hash_ ^= static_cast<unsigned char>(c);
            hash_ *= 0x100000001b3U;
        }
    }

    std::uint64_t value() const { return hash_; }
    /// 16 hexadecimal digits, lower case.
    std::string digits() const;

  private:
    std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace braid
