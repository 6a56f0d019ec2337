// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_tree.h"

#include "braid/plugin/database/xapian_version.h"

namespace braid {
namespace {

using Query = Xapian::Query;

// A query on the way from the root, and those of its subqueries that are still to be visited.
struct Level {
    Query query;
    std::size_t next = 0;
    std::size_t end = 0;
};

}  // namespace

bool walk_query(const Query& query, const QueryVisitor& visit) {
    std::vector<Level> path;
    const auto enter = [&](const Query& part) {
        const WalkStep step = visit(part, path.size());
        if (step == WalkStep::kStop) return false;
        const std::size_t parts = part.get_num_subqueries();
        if (step == WalkStep::kInto && parts > 0) path.push_back({part, 0, parts});
        if (step == WalkStep::kFirst && parts > 0) path.push_back({part, 0, 1});
        return true;
    };
    if (!enter(query)) return false;
    while (!path.empty()) {
        Level& level = path.back();
        if (level.next == level.end) {
            path.pop_back();
        } else if (!enter(level.query.get_subquery(level.next++))) {
            return false;
        }
    }
    return true;
}

bool has_part(const Query& query, const std::function<bool(const Query&)>& is_wanted) {
    return !walk_query(query, [&](const Query& part, std::size_t) {
        return is_wanted(part) ? WalkStep::kStop : WalkStep::kInto;
    });
}

void for_each_scored_leaf(const Query& query, const std::function<void(const Query&)>& take) {
    walk_query(query, [&](const Query& part, std::size_t) {
        if (is_filtered(part)) return WalkStep::kFirst;
        if (is_scaled_to_nothing(part)) return WalkStep::kOver;
        if (is_leaf(part)) take(part);
        return WalkStep::kInto;
    });
}

bool is_filtered(const Query& query) {
    return query.get_type() == Query::OP_FILTER || query.get_type() == Query::OP_AND_NOT;
}

bool is_leaf(const Query& query) { return query.get_num_subqueries() == 0; }

std::vector<Query> subqueries(const Query& query) {
    std::vector<Query> parts;
    for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
        parts.push_back(query.get_subquery(i));
    }
    return parts;
}

bool can_be_rebuilt(const Query& query) {
    switch (query.get_type()) {
        case Query::OP_AND:
        case Query::OP_OR:
        case Query::OP_AND_NOT:
        case Query::OP_XOR:
        case Query::OP_AND_MAYBE:
        case Query::OP_FILTER:
        case Query::OP_MAX:
        case Query::OP_SYNONYM:
            return true;
        default:
            return false;
    }
}

Query with_subqueries(const Query& query, const std::vector<Query>& parts) {
    return {query.get_type(), parts.begin(), parts.end()};
}

namespace {

// What no query that was built has: an empty query below an operator, or an operator that lacks
// parts. Xapian gives a part back for an operator of that alone, but for OP_SYNONYM.
bool is_over_nothing(const Query& part) {
    switch (part.get_type()) {
        case Query::LEAF_MATCH_NOTHING:
            return true;
        case Query::OP_NEAR:
        case Query::OP_PHRASE:
        case Query::OP_ELITE_SET:
        case Query::OP_SCALE_WEIGHT:
            return is_leaf(part);
        default:
            return can_be_rebuilt(part) &&
                   part.get_num_subqueries() < (part.get_type() == Query::OP_SYNONYM ? 1 : 2);
    }
}

}  // namespace

Query read_query(const std::string& bytes, const Xapian::Registry& registry,
                 const std::string& name) {
    Query query;
    try {
        query = Query::unserialise(bytes, registry);
    } catch (const Xapian::Error& error) {
        throw Xapian::SerialisationError(name + ": query: " + error.get_msg());
    }
    if (!query.empty() && has_part(query, is_over_nothing)) {
        throw Xapian::SerialisationError(name + ": query: an operator over nothing");
    }
    return query;
}

}  // namespace braid
