// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

namespace braid::fuzz {

inline constexpr char kSmallModel[] = "0123456789abcdef";  ///< A topic model's id.
inline constexpr unsigned kSmallSlot = 1000;               ///< Of its vectors, of 4 dimensions.
inline constexpr unsigned kSmallNeighbours = 1002;         ///< The slot of neighbours, two at most.
inline constexpr unsigned kSmallNumbers = 3;               ///< A slot of numbers, dates and text.

/// Writes a database for what was unserialised to search in: 40 documents of the words w0 to w9,
/// some with the same in a field "title" (prefix S), vectors, clusters and records.
void write_small_database(Xapian::WritableDatabase& database);

/// That in memory.
Xapian::Database small_database();

}  // namespace braid::fuzz
