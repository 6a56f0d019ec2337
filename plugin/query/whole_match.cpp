// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/whole_match.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_tree.h"

namespace braid {
namespace {

constexpr Xapian::docid kBehindAll = std::numeric_limits<Xapian::docid>::max();

}  // namespace

void NeverSource::init(const Xapian::Database&) {
    docid_ = 0;
    ended_ = false;
}

void NeverSource::next(double) {
    ended_ = docid_ == kBehindAll;
    docid_ = kBehindAll;
}

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

namespace {

using Query = Xapian::Query;

bool crashes(const Query& query) {
    return query.get_type() == Query::OP_XOR || query.get_type() == Query::OP_MAX ||
           wildcard_operator(query) == Query::OP_MAX;
}

bool is_joined_loosely(const Query& query) {
    const Query::op type = query.get_type();
    return type == Query::OP_OR || type == Query::OP_AND_MAYBE || type == Query::OP_ELITE_SET ||
           wildcard_operator(query) == Query::OP_OR;
}

bool is_no_list(const Query& query) {
    return query.get_type() == Query::LEAF_MATCH_ALL ||
           query.get_type() == Query::LEAF_POSTING_SOURCE ||
           query.get_type() == Query::OP_WILDCARD || query.get_type() == Query::OP_VALUE_RANGE ||
           query.get_type() == Query::OP_VALUE_GE || query.get_type() == Query::OP_VALUE_LE;
}

// No more documents match than that.
std::uint64_t most_matches(const Xapian::Database& database, const Query& query) {
    if (query.get_type() == Query::OP_AND_MAYBE) {
        return most_matches(database, subqueries(query).front());
    }
    std::uint64_t sum = 0;
    for (auto term = query.get_unique_terms_begin(); term != query.get_terms_end(); ++term) {
        sum += database.get_termfreq(*term);
    }
    return has_part(query, is_no_list) ? database.get_doccount() : sum;
}

}  // namespace

bool may_prune(const Query& query) { return kIsXapian2 || !has_part(query, crashes); }

Xapian::doccount safe_count(const Xapian::Database& database, const Xapian::Query& query,
                            Xapian::doccount wanted) {
    return may_prune(query) ? wanted : std::max(wanted, database.get_doccount());
}

bool may_lose_matches(const Query& query) {
    return has_part(scored_part(query), is_joined_loosely);
}

Xapian::doccount safe_check(const Xapian::Database& database, const Query& query,
                            Xapian::doccount wanted) {
    const bool is_whole =
        may_lose_matches(query) && most_matches(database, scored_part(query)) <= kWholeMatches;
    return is_whole ? std::max(wanted, database.get_doccount()) : wanted;
}

}  // namespace braid
