// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/whole_match.h"

#include <algorithm>
#include <string>

namespace braid {

bool may_prune(const Xapian::Query& query) {
    if (query.empty()) return true;
    switch (query.get_type()) {
        case Xapian::Query::OP_XOR:
        case Xapian::Query::OP_MAX:
            return false;
        case Xapian::Query::OP_WILDCARD:
            // Nothing else tells what joins the terms that it stands for.
            return query.get_description().find("WILDCARD MAX") == std::string::npos;
        default:
            break;
    }
    for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
        if (!may_prune(query.get_subquery(i))) return false;
    }
    return true;
}

Xapian::doccount safe_count(const Xapian::Database& database, const Xapian::Query& query,
                            Xapian::doccount wanted) {
    return may_prune(query) ? wanted : std::max(wanted, database.get_doccount());
}

}  // namespace braid
