// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/error.h"
#include "braid/weight.h"

namespace braid {

/// Queries that match the same, in forms that Xapian 1.4 matches and scores right. Operators that
/// have a parameter which Xapian keeps to itself stay as they are, and so does what is below
/// OP_SCALE_WEIGHT. Searcher does all of it by itself where it is needed.

/// In the result no phrase gives its weight to a document that doesn't have it.
///
/// In `+a "b c" d` a document with a and d gets the phrase's weight, too, where the phrase stands
/// at another document: an OR that is asked about one document takes what answered no as if it
/// stood there (OrPostList::check), and phrases and NEAR do answer no. Such a part P of an OR is
/// therefore replaced by `P AND NOT nothing` (NeverSource), which moves to its next match instead.
Xapian::Query keep_phrases_apart(const Xapian::Query& query);

/// keep_phrases_apart and keep_document_lengths in one pass over the query.
Xapian::Query repaired_query(const Xapian::Query& query);

/// In the result what only filters or excludes has no OP_AND_MAYBE, but its left side, which
/// matches the same. In what an OP_AND_NOT excludes Xapian compares such an operator's bounds
/// without having set them (AndMaybePostList), and by chance excludes less.
Xapian::Query drop_idle_parts(const Xapian::Query& query);

}  // namespace braid
