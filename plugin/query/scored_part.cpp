// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/scored_part.h"

#include <limits>
#include <vector>

namespace braid {
namespace {

constexpr Xapian::docid kBehindAll = std::numeric_limits<Xapian::docid>::max();

}  // namespace

void NeverSource::init(const Xapian::Database&) { docid_ = 0; }
void NeverSource::next(double) { docid_ = kBehindAll; }
void NeverSource::skip_to(Xapian::docid, double) { docid_ = kBehindAll; }

bool NeverSource::check(Xapian::docid, double) {
    docid_ = kBehindAll;
    return true;
}

NeverSource* NeverSource::clone() const { return new NeverSource; }
std::string NeverSource::name() const { return "braid::NeverSource"; }
std::string NeverSource::get_description() const { return "braid::NeverSource"; }
std::string NeverSource::serialise() const { return {}; }

NeverSource* NeverSource::unserialise(const std::string& serialised) const {
    if (!serialised.empty()) {
        throw Xapian::SerialisationError("braid::NeverSource has " +
                                         std::to_string(serialised.size()) +
                                         " bytes, expected none");
    }
    return new NeverSource;
}

namespace {

using Query = Xapian::Query;

bool is_around(const Query& query) {
    return query.get_type() == Query::OP_FILTER || query.get_type() == Query::OP_AND_NOT;
}

}  // namespace

Query scored_part(const Query& query) {
    return is_around(query) ? scored_part(query.get_subquery(0)) : query;
}

Query with_scored_part(const Query& query, const Query& other) {
    if (!is_around(query)) return other;
    std::vector<Query> parts = {with_scored_part(query.get_subquery(0), other)};
    for (std::size_t i = 1; i < query.get_num_subqueries(); ++i) {
        parts.push_back(query.get_subquery(i));
    }
    return {query.get_type(), parts.begin(), parts.end()};
}

}  // namespace braid
