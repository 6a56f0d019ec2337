// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "braid/tests/support/support.h"

namespace braid::test {

/// What reading `bytes` gives, in some form that tells values apart; nothing where it is refused.
using ReadForm = std::function<std::optional<std::string>(const std::string& bytes)>;

/// Requires that each byte of `bytes` changed in every way, and every truncation, is refused or
/// read as the same value: never as another.
inline void check_damage_shows(const std::string& name, const std::string& bytes,
                               const ReadForm& read) {
    INFO(name);
    const std::optional<std::string> whole = read(bytes);
    REQUIRE(whole.has_value());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto cut = read(bytes.substr(0, size));
        if (cut.has_value() && cut != whole) FAIL("cut to " << size << " bytes: another value");
    }
    std::string changed = bytes;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (int flip = 1; flip < 256; ++flip) {
            changed[at] = static_cast<char>(bytes[at] ^ flip);
            const auto other = read(changed);
            if (other.has_value() && other != whole) {
                FAIL("byte " << at << " changed by " << flip << ": another value");
            }
        }
        changed[at] = bytes[at];
    }
}

/// A stored value as versions before its first checksum wrote it: magic of four letters, version
/// of one byte, length, body.
inline std::string in_old_form(std::string bytes, unsigned version) {
    bytes.resize(bytes.size() - 4);
    bytes[4] = static_cast<char>(version);
    return bytes;
}

}  // namespace braid::test
