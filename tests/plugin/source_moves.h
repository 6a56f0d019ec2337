// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

#include <xapian.h>

#include "braid/core/base/random.h"

namespace braid::test {

// What every posting source must do.

/// Requires that random calls of skip_to and check, over a database of about 150 documents, lead to
/// the documents and weights that next alone leads to. How many documents the source has.
std::size_t check_moves(Xapian::PostingSource& source, const Xapian::Database& database,
                        Random& random);

/// Requires that no document weighs more than the source says; and that beside the words of `text`,
/// below a factor, each top list is the begin of the whole ranking. `may_lose`: Xapian itself may
/// lose one there (whole_match.h), and is told to look at enough documents.
void check_bound(Xapian::PostingSource& source, const Xapian::Database& database,
                 const Xapian::Query& text, bool may_lose = false);

/// Requires that the source is registered, and that bytes of it make one that matches the same.
void check_sent(const Xapian::PostingSource& source, const Xapian::Database& database);

}  // namespace braid::test
