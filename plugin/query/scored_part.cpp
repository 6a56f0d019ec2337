// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/scored_part.h"

#include <limits>
#include <vector>

#include "braid/plugin/query/query_tree.h"

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

using Query = Xapian::Query;

Query scored_part(const Query& query) {
    return is_filtered(query) ? scored_part(subqueries(query).front()) : query;
}

Query with_scored_part(const Query& query, const Query& other) {
    if (!is_filtered(query)) return other;
    std::vector<Query> parts = subqueries(query);
    parts.front() = with_scored_part(parts.front(), other);
    return with_subqueries(query, parts);
}

}  // namespace braid
