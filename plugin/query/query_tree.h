// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"

namespace braid {

/// How Braid walks and rebuilds Xapian::Query trees: only this file asks a query for its
/// subqueries. Not installed.
///
///     OP_FILTER             depth 0; scores as its first subquery
///     |- OP_OR              depth 1
///     |  |- ships           depth 2, a leaf that scores
///     |  `- 0 * whales      depth 2; nothing below it scores
///     `- XEVEN              depth 1, a leaf that does not score
///
/// The empty query is a leaf of type LEAF_MATCH_NOTHING.

/// What a walk does after a query.
enum class WalkStep {
    kInto,   ///< Visits all its subqueries.
    kFirst,  ///< Visits its first subquery only.
    kOver,   ///< Visits none of its subqueries.
    kStop,   ///< Ends the walk.
};
using QueryVisitor = std::function<WalkStep(const Xapian::Query& query, std::size_t depth)>;

/// Visits a query before its subqueries, and those from left to right. Uses no recursion, so that
/// a query of any depth is safe. Returns false if the visitor stopped the walk. O(visits).
bool walk_query(const Xapian::Query& query, const QueryVisitor& visit);

/// Whether `is_wanted` holds for the query or for any query below it.
bool has_part(const Xapian::Query& query,
              const std::function<bool(const Xapian::Query&)>& is_wanted);

/// Visits the leaves that count in the score, from left to right: not those that filter, exclude
/// or are scaled by 0.
void for_each_scored_leaf(const Xapian::Query& query,
                          const std::function<void(const Xapian::Query& leaf)>& take);

/// Whether the query only adds filters or exclusions to its first subquery.
bool is_filtered(const Xapian::Query& query);

/// Whether the query has no subqueries.
bool is_leaf(const Xapian::Query& query);

/// The subqueries one level down, from left to right; none for a leaf.
std::vector<Xapian::Query> subqueries(const Xapian::Query& query);

/// Whether `with_subqueries` can rebuild the query. Operators such as OP_ELITE_SET and
/// OP_SCALE_WEIGHT have a parameter that Xapian does not give out.
bool can_be_rebuilt(const Xapian::Query& query);

/// The query's operator over other subqueries. Requires can_be_rebuilt.
Xapian::Query with_subqueries(const Xapian::Query& query, const std::vector<Xapian::Query>& parts);

/// The query of bytes that someone sent to `name`. Throws Xapian::SerialisationError for all other
/// bytes, also where Xapian says that the network failed, as it does where bytes are missing, and
/// where it makes an operator over nothing, which crashes it later: no query that was built has
/// one.
Xapian::Query read_query(const std::string& bytes, const Xapian::Registry& registry,
                         const std::string& name);

}  // namespace braid
