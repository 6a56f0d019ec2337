// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <vector>

#include "braid/core/base/bytes.h"

namespace braid {

/// Bounds hold up to rounding, and compared sums are added in another order, so bounds exceed their
/// formulas by this relative amount.
inline constexpr double kRoundingShare = 1e-12;
inline constexpr double kRounding = 1 + kRoundingShare;

/// A list of IEEE binary32, 4 bytes each, lowest first; keeps every bit.
void write_floats(ByteWriter& out, std::span<const float> values);
std::vector<float> read_floats(ByteReader& in, std::string_view name);

}  // namespace braid
