// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/repaired_query.h"

#include <functional>
#include <vector>

#include "braid/plugin/query/scored_part.h"

namespace braid {
namespace {

using Query = Xapian::Query;

bool is_range(Query::op type) {
    return type == Query::OP_VALUE_RANGE || type == Query::OP_VALUE_GE ||
           type == Query::OP_VALUE_LE;
}

bool is_positional(Query::op type) { return type == Query::OP_PHRASE || type == Query::OP_NEAR; }

bool is_maybe(Query::op type) { return type == Query::OP_AND_MAYBE; }

// Operators that can be rebuilt from their subqueries: the others have a parameter that Xapian
// keeps to itself, as OP_ELITE_SET and OP_SCALE_WEIGHT.
bool can_be_rebuilt(Query::op type) {
    switch (type) {
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

bool has(const Query& query, bool (*is_wanted)(Query::op)) {
    if (query.empty()) return false;
    if (is_wanted(query.get_type())) return true;
    for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
        if (has(query.get_subquery(i), is_wanted)) return true;
    }
    return false;
}

Query rebuilt(const Query& query, const std::function<Query(const Query&, std::size_t)>& part) {
    std::vector<Query> parts;
    for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
        parts.push_back(part(query.get_subquery(i), i));
    }
    return {query.get_type(), parts.begin(), parts.end()};
}

// Whether the subquery in that place is joined to others by an OR.
bool is_of_or(const Query& query, std::size_t place) {
    switch (query.get_type()) {
        case Query::OP_OR:
        case Query::OP_SYNONYM:
            return true;
        case Query::OP_AND_NOT:
        case Query::OP_AND_MAYBE:
            return place > 0 && query.get_num_subqueries() > 2;
        default:
            return false;
    }
}

// `idle` says that nothing of the query is scored.
Query without_idle_parts(const Query& query, bool idle) {
    if (query.empty() || !can_be_rebuilt(query.get_type()) || !has(query, is_maybe)) return query;
    const Query::op type = query.get_type();
    if (idle && is_maybe(type)) return without_idle_parts(query.get_subquery(0), idle);
    const bool idle_beside = type == Query::OP_AND_NOT || type == Query::OP_FILTER;
    return rebuilt(query, [&](const Query& part, std::size_t place) {
        return without_idle_parts(part, idle || (idle_beside && place > 0));
    });
}

}  // namespace

Query keep_document_lengths(const Query& query) {
    if (query.empty()) return query;
    if (is_range(query.get_type())) {
        const Query all{std::string()};
        return {Query::OP_AND_NOT, all, {Query::OP_AND_NOT, all, query}};
    }
    if (!can_be_rebuilt(query.get_type()) || !has(query, is_range)) return query;
    return rebuilt(query,
                   [](const Query& part, std::size_t) { return keep_document_lengths(part); });
}

Query keep_phrases_apart(const Query& query) {
    if (query.empty() || !can_be_rebuilt(query.get_type()) || !has(query, is_positional)) {
        return query;
    }
    return rebuilt(query, [&](const Query& part, std::size_t place) {
        Query kept = keep_phrases_apart(part);
        if (!is_of_or(query, place) || !has(part, is_positional)) return kept;
        return Query(Query::OP_AND_NOT, kept, Query((new NeverSource)->release()));
    });
}

Query drop_idle_parts(const Query& query) { return without_idle_parts(query, false); }

}  // namespace braid
