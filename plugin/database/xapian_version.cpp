// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/xapian_version.h"

#include <cstdlib>
#include <string>

namespace braid {

using Query = Xapian::Query;

// "Query(0 * ships)"
bool is_scaled_to_nothing(const Query& query) {
    if (query.get_type() != Query::OP_SCALE_WEIGHT) return false;
    const std::string description = query.get_description();
    const std::size_t open = description.find('(');
    return open != std::string::npos && std::strtod(description.c_str() + open + 1, nullptr) == 0;
}

// "Query(WILDCARD SYNONYM ship)"
Query::op wildcard_operator(const Query& query) {
    if (query.get_type() != Query::OP_WILDCARD) return Query::OP_INVALID;
    const std::string description = query.get_description();
    const auto is_joined = [&](const char* name) {
        return description.starts_with(std::string("Query(WILDCARD ") + name + ' ');
    };
    if (is_joined("SYNONYM")) return Query::OP_SYNONYM;
    if (is_joined("MAX")) return Query::OP_MAX;
    return is_joined("OR") ? Query::OP_OR : Query::OP_INVALID;
}

}  // namespace braid
