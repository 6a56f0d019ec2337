// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

namespace braid::test {

/// Printable ASCII as it is, other bytes and the backslash as \xx, in hexadecimal digits.
inline std::string shown(std::string_view bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= ' ' && byte < 0x7f && c != '\\') {
            text += c;
        } else {
            text.append({'\\', kDigits[byte >> 4], kDigits[byte & 15]});
        }
    }
    return text;
}

/// The type and message of the Xapian error that `action` throws; "" if it throws none.
inline std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Xapian::Error& error) {
        return error.get_type() + std::string(": ") + error.get_msg();
    }
    return "";
}

/// Whether a weight or source refuses to be made of the bytes as Xapian wants it.
template <typename Class>
bool rejected(const Class& known, const std::string& bytes) {
    try {
        delete known.unserialise(bytes);
        return false;
    } catch (const Xapian::SerialisationError&) {
        return true;
    }
}

/// Requires that `bytes`, which `known` can be made of, are refused in every truncated or longer
/// form and as another version, that random bytes are, and that bytes with one changed are refused
/// or those of another valid object.
template <typename Class>
void check_bytes(const Class& known, const std::string& bytes, Random& random) {
    CHECK_FALSE(rejected(known, bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK(rejected(known, bytes.substr(0, size)));
    }
    CHECK(rejected(known, bytes + "x"));
    const char other_version = static_cast<char>(bytes[0] + 1);
    CHECK(rejected(known, other_version + bytes.substr(1)));
    for (int i = 0; i < 5000; ++i) {
        std::string junk(random.below(90), '\0');
        for (char& c : junk) c = static_cast<char>(random.bits());
        CHECK(rejected(known, junk));
        std::string changed = bytes;
        changed[random.below(changed.size())] = static_cast<char>(random.bits());
        if (rejected(known, changed)) continue;
        const std::unique_ptr<Class> other(static_cast<Class*>(known.unserialise(changed)));
        CHECK(other->serialise() == changed);
    }
}

}  // namespace braid::test
