// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/repaired_query.h"

#include <algorithm>
#include <vector>

#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/query/whole_match.h"

namespace braid {
namespace {

using Query = Xapian::Query;

constexpr char kMatchVersion = 1;  // Version of MatchSource's bytes.

bool is_range(const Query& query) {
    const Query::op type = query.get_type();
    return type == Query::OP_VALUE_RANGE || type == Query::OP_VALUE_GE ||
           type == Query::OP_VALUE_LE;
}

bool is_positional(const Query& query) {
    return query.get_type() == Query::OP_PHRASE || query.get_type() == Query::OP_NEAR;
}

bool is_maybe(const Query& query) { return query.get_type() == Query::OP_AND_MAYBE; }

bool is_max(const Query& query) {
    return query.get_type() == Query::OP_MAX || wildcard_operator(query) == Query::OP_MAX;
}

// Whether it answers no of a document in a way that Xapian takes wrongly.
bool answers_no(const Query& query) {
    if (is_positional(query)) return true;
    return kIsXapian2 && (is_range(query) || query.get_type() == Query::OP_AND_NOT);
}

bool has_any_no(const Query& query) { return has_part(query, answers_no); }

// Whether Xapian may join the subquery in that place to others by an OR: what is excluded, and what
// is optional, of all parts of an AND. Or move Xapian 2's back after it answered no.
bool is_of_or(const Query& query, std::size_t place) {
    switch (query.get_type()) {
        case Query::OP_OR:
        case Query::OP_SYNONYM:
            return true;
        case Query::OP_XOR:
        case Query::OP_MAX:
            return kIsXapian2;
        case Query::OP_AND_NOT:
            return place > 0 || (kIsXapian2 && has_part(subqueries(query).front(), is_range));
        case Query::OP_AND_MAYBE:
            return place > 0 || kIsXapian2;
        default:
            return false;
    }
}

Query kept_apart(const Query& part) {
    if (kIsXapian2) {
        return Query(Query::OP_AND, Query((new MatchSource(part))->release()), part);
    }
    return Query(Query::OP_AND_NOT, part, Query((new NeverSource)->release()));
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
    bool lengths = false;  ///< Xapian 2 needs no repair of them.
};

constexpr int kMostApart = 8;

Query repaired(const Query& query, const Repairs& repairs, int apart_around = 0);

// AND_MAYBE of `parts`, which are repaired, without it.
Query without_maybe(const std::vector<Query>& parts) {
    std::vector<Query> joined;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Query part = i == 0 ? parts[0] : Query(Query::OP_FILTER, parts[i], parts[0]);
        joined.push_back(has_any_no(part) ? kept_apart(part) : part);
    }
    return {Query::OP_OR, joined.begin(), joined.end()};
}

// `(a FILTER b) AND_NOT c` as `(a AND_NOT c) FILTER b`: what an AND_NOT in a query's filters and
// exclusions is left of then has no range of them, and needn't be kept apart.
Query with_exclusions_first(const Query& query) {
    if (query.get_type() != Query::OP_AND_NOT) return query;
    std::vector<Query> parts = subqueries(query);
    if (parts.front().get_type() != Query::OP_FILTER) return query;
    std::vector<Query> filters = subqueries(parts.front());
    parts.front() = filters.front();
    filters.front() = with_exclusions_first(with_subqueries(query, parts));
    return {Query::OP_FILTER, filters.begin(), filters.end()};
}

Query repaired(const Query& given, const Repairs& repairs, int apart_around) {
    Query query = kIsXapian2 && repairs.phrases ? with_exclusions_first(given) : given;
    if (repairs.lengths && is_range(query)) {
        const Query all{std::string()};
        return {Query::OP_AND_NOT, all, {Query::OP_AND_NOT, all, query}};
    }
    const auto needs_repair = [&](const Query& part) {
        return (repairs.phrases && (answers_no(part) || (kIsXapian2 && is_max(part)))) ||
               (repairs.lengths && is_range(part));
    };
    if (!can_be_rebuilt(query) || !has_part(query, needs_repair)) return query;
    std::vector<Query> parts = subqueries(query);
    const bool crashes = kIsXapian2 && is_maybe(query) &&
                         std::any_of(parts.begin() + 1, parts.end(),
                                     [](auto& part) { return has_part(part, is_max); });
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool apart = repairs.phrases && is_of_or(query, i) && has_any_no(parts[i]) &&
                           apart_around < kMostApart;
        parts[i] = repaired(parts[i], repairs, apart_around + (apart ? 1 : 0));
        if (apart && !crashes) parts[i] = kept_apart(parts[i]);
    }
    return crashes ? without_maybe(parts) : with_subqueries(query, parts);
}

}  // namespace

Query repaired_query(const Query& query) {
    return repaired(query, {.phrases = true, .lengths = !kIsXapian2});
}

Query keep_document_lengths(const Query& query) {
    return repaired(query, {.lengths = !kIsXapian2});
}

Query keep_phrases_apart(const Query& query) { return repaired(query, {.phrases = true}); }

Query drop_idle_parts(const Query& query) { return without_idle_parts(query, false); }

void MatchSource::init(const Xapian::Database& shard) {
    docids_.clear();
    at_ = 0;
    is_begun_ = false;
    if (query_.empty()) return;
    Xapian::Enquire enquire(shard);
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    enquire.set_query(query_);
    const Xapian::MSet found = enquire.get_mset(0, shard.get_doccount());
    docids_.assign(found.begin(), found.end());
    std::sort(docids_.begin(), docids_.end());
}

Xapian::doccount MatchSource::get_termfreq_max() const {
    return static_cast<Xapian::doccount>(docids_.size());
}

void MatchSource::next(double) {
    if (is_begun_ && !at_end()) ++at_;
    is_begun_ = true;
}

void MatchSource::skip_to(Xapian::docid docid, double) {
    const auto from = docids_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ = static_cast<std::size_t>(std::lower_bound(from, docids_.end(), docid) - docids_.begin());
    is_begun_ = true;
}

bool MatchSource::check(Xapian::docid docid, double least) {
    skip_to(docid, least);
    return true;
}

MatchSource* MatchSource::clone() const { return new MatchSource(query_); }
std::string MatchSource::name() const { return "braid::MatchSource"; }
std::string MatchSource::get_description() const { return "braid::MatchSource"; }
std::string MatchSource::serialise() const { return kMatchVersion + query_.serialise(); }

MatchSource* MatchSource::unserialise_with_registry(const std::string& serialised,
                                                    const Xapian::Registry& registry) const {
    if (serialised.empty() || serialised[0] != kMatchVersion) {
        throw Xapian::SerialisationError(name() + ": expected bytes of version " +
                                         std::to_string(int{kMatchVersion}));
    }
    return new MatchSource(read_query(serialised.substr(1), registry, name()));
}

}  // namespace braid
