// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/settings/limits.h"

namespace braid {

// Queries are trees, which Xapian and Braid walk by recursion: one that is nested deep enough ends
// the program, and one of a hundred thousand words takes minutes. Both are refused first.

/// Throws InvalidArgument for text with more words (runs of letters and digits) than
/// Limits::words, or brackets nested deeper than Limits::nesting. Before it is parsed. O(size).
BRAID_API void check_query_text(const std::string& text, const Limits& limits);

/// Throws InvalidArgument for a query with more leaves than Limits::words, or more operators below
/// one another than Limits::nesting. Doesn't recurse, and stops at the first that is too much, so
/// that a subquery shared a million times costs no more. O(leaves).
BRAID_API void check_query(const Xapian::Query& query, const Limits& limits);

}  // namespace braid
