// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace braid {

/// The parameter of lexical rankers whose formula has the average length of documents in it. With
/// that of a field, which training writes down, scores stay those that weights were learned from.
inline constexpr const char* kAverageLength = "average_length";

}  // namespace braid
