// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "braid/core/base/export.h"

namespace braid {

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
