// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

namespace braid {

/// What Xapian tells only in its descriptions of queries, in the form of Xapian 1.4. No other file
/// reads them; tests/plugin/query/query_tree_test.cpp fails for another form. Not installed.

/// Whether the query is OP_SCALE_WEIGHT with the factor 0.
bool is_scaled_to_nothing(const Xapian::Query& query);

/// The operator that joins the terms which a wildcard stands for: OP_SYNONYM, OP_OR or OP_MAX.
/// OP_INVALID for a query that is not OP_WILDCARD.
Xapian::Query::op wildcard_operator(const Xapian::Query& query);

}  // namespace braid
