// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// What scores in a query: the query without the filters and exclusions around it.
BRAID_API Xapian::Query scored_part(const Xapian::Query& query);

/// `query` with its filters and exclusions around `other` in place of its scored part.
BRAID_API Xapian::Query with_scored_part(const Xapian::Query& query, const Xapian::Query& other);

}  // namespace braid
