// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/document_lengths.h"

#include <vector>

namespace braid {
namespace {

bool is_range(Xapian::Query::op type) {
    return type == Xapian::Query::OP_VALUE_RANGE || type == Xapian::Query::OP_VALUE_GE ||
           type == Xapian::Query::OP_VALUE_LE;
}

// Operators that can be rebuilt from their subqueries: the others have a parameter that Xapian
// keeps to itself, and hold terms only, or are OP_SCALE_WEIGHT.
bool can_be_rebuilt(Xapian::Query::op type) {
    switch (type) {
        case Xapian::Query::OP_AND:
        case Xapian::Query::OP_OR:
        case Xapian::Query::OP_AND_NOT:
        case Xapian::Query::OP_XOR:
        case Xapian::Query::OP_AND_MAYBE:
        case Xapian::Query::OP_FILTER:
        case Xapian::Query::OP_MAX:
            return true;
        default:
            return false;
    }
}

bool has_range(const Xapian::Query& query) {
    if (is_range(query.get_type())) return true;
    if (!can_be_rebuilt(query.get_type())) return false;
    for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
        if (has_range(query.get_subquery(i))) return true;
    }
    return false;
}

}  // namespace

Xapian::Query keep_document_lengths(const Xapian::Query& query) {
    const Xapian::Query::op type = query.get_type();
    const Xapian::Query& all = Xapian::Query::MatchAll;
    if (is_range(type)) {
        return {Xapian::Query::OP_AND_NOT, all, {Xapian::Query::OP_AND_NOT, all, query}};
    }
    if (!has_range(query)) return query;
    std::vector<Xapian::Query> parts;
    for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
        parts.push_back(keep_document_lengths(query.get_subquery(i)));
    }
    return {type, parts.begin(), parts.end()};
}

}  // namespace braid
