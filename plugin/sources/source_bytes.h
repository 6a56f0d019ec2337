// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <fmt/format.h>
#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/error.h"

namespace braid {

/// The largest weight that a source or a weight gives Xapian. Beyond it sums may be infinite, and
/// Xapian silently drops NaN.
inline constexpr double kMostBound = 1e300;

/// `bound` of the scores of `name`. Throws Xapian::InvalidArgumentError for more than kMostBound,
/// infinity and NaN: weights, parameters and statistics may come from bytes that someone sent.
inline double possible_bound(double bound, const std::string& name) {
    if (bound <= kMostBound) return bound;
    throw Xapian::InvalidArgumentError(
        fmt::format("{}: scores may be as large as {}, expected at most {}: a weight, a parameter "
                    "or a statistic is too large",
                    name, bound, kMostBound));
}

/// Common format of serialised weights and posting sources (docs/formats.md): a class keeps its
/// name, and the first byte is the version of the rest.

inline ByteWriter versioned_bytes(char version) {
    ByteWriter out;
    out.raw({&version, 1});
    return out;
}

/// Returns what `read` makes of the rest, all of which it must read. Throws
/// Xapian::SerialisationError for another version and if `read` throws a braid::Error.
template <typename Read>
auto read_versioned(const std::string& bytes, const std::string& name, char version,
                    const Read& read) {
    try {
        ByteReader in(bytes, name);
        const char found = in.raw("version", 1)[0];
        if (found != version) {
            in.fail("version", fmt::format("found {}, can read {}", int{found}, int{version}));
        }
        return read(in);
    } catch (const Error& error) {
        throw Xapian::SerialisationError(error.what());
    }
}

inline Xapian::valueno read_slot(ByteReader& in) {
    return static_cast<Xapian::valueno>(in.varint_in("slot", 0, Xapian::BAD_VALUENO - 1));
}

}  // namespace braid
