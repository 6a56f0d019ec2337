// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/repaired_query.h"

#include <vector>

#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/query/scored_part.h"

namespace braid {
namespace {

using Query = Xapian::Query;

bool is_range(const Query& query) {
    const Query::op type = query.get_type();
    return type == Query::OP_VALUE_RANGE || type == Query::OP_VALUE_GE ||
           type == Query::OP_VALUE_LE;
}

bool is_positional(const Query& query) {
    return query.get_type() == Query::OP_PHRASE || query.get_type() == Query::OP_NEAR;
}

bool is_maybe(const Query& query) { return query.get_type() == Query::OP_AND_MAYBE; }

// Whether Xapian may join the subquery in that place to others by an OR: what is excluded, and what
// is optional, of all parts of an AND.
bool is_of_or(const Query& query, std::size_t place) {
    switch (query.get_type()) {
        case Query::OP_OR:
        case Query::OP_SYNONYM:
            return true;
        case Query::OP_AND_NOT:
        case Query::OP_AND_MAYBE:
            return place > 0;
        default:
            return false;
    }
}

// `idle` says that nothing of the query is scored.
Query without_idle_parts(const Query& query, bool idle) {
    if (!can_be_rebuilt(query) || !has_part(query, is_maybe)) return query;
    std::vector<Query> parts = subqueries(query);
    if (idle && is_maybe(query)) return without_idle_parts(parts.front(), idle);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = without_idle_parts(parts[i], idle || (is_filtered(query) && i > 0));
    }
    return with_subqueries(query, parts);
}

struct Repairs {
    bool phrases = false;
    bool lengths = false;
};

Query repaired(const Query& query, const Repairs& repairs) {
    if (repairs.lengths && is_range(query)) {
        const Query all{std::string()};
        return {Query::OP_AND_NOT, all, {Query::OP_AND_NOT, all, query}};
    }
    const auto needs_repair = [&](const Query& part) {
        return (repairs.phrases && is_positional(part)) || (repairs.lengths && is_range(part));
    };
    if (!can_be_rebuilt(query) || !has_part(query, needs_repair)) return query;
    std::vector<Query> parts = subqueries(query);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool apart =
            repairs.phrases && is_of_or(query, i) && has_part(parts[i], is_positional);
        parts[i] = repaired(parts[i], repairs);
        if (!apart) continue;
        parts[i] = Query(Query::OP_AND_NOT, parts[i], Query((new NeverSource)->release()));
    }
    return with_subqueries(query, parts);
}

}  // namespace

Query repaired_query(const Query& query) {
    return repaired(query, {.phrases = true, .lengths = true});
}

Query keep_document_lengths(const Query& query) { return repaired(query, {.lengths = true}); }

Query keep_phrases_apart(const Query& query) { return repaired(query, {.phrases = true}); }

Query drop_idle_parts(const Query& query) { return without_idle_parts(query, false); }

}  // namespace braid
