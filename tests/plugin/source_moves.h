// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

#include <xapian.h>

#include "braid/core/base/random.h"

namespace braid::test {

/// Requires that random calls of skip_to and check, over a database of about 150 documents, lead to
/// the documents and weights that next alone leads to. How many documents the source has.
std::size_t check_moves(Xapian::PostingSource& source, const Xapian::Database& database,
                        Random& random);

}  // namespace braid::test
