// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/time_limit.h"

#include <limits>

namespace braid {
namespace {

constexpr Xapian::docid kBehindAll = std::numeric_limits<Xapian::docid>::max();

}  // namespace

std::shared_ptr<TimeLimit> limit_of_pass(const std::shared_ptr<TimeLimit>& whole) {
    if (whole == nullptr) return nullptr;
    const TimeLimit::Clock::time_point now = TimeLimit::Clock::now();
    return std::make_shared<TimeLimit>(now + (whole->end() - now) / 2, whole);
}

Xapian::Query within_time(const Xapian::Query& query, const std::shared_ptr<TimeLimit>& limit) {
    if (limit == nullptr || query.empty()) return query;
    return {Xapian::Query::OP_FILTER, query,
            Xapian::Query((new TimeLimitSource(limit))->release())};
}

void refuse_remote_time_limit() {
    throw Xapian::UnimplementedError(
        "a time limit can't be kept in a remote database; search it without one");
}

void TimeLimitSource::init(const Xapian::Database& shard) {
    documents_ = shard.get_doccount();
    last_ = shard.get_lastdocid();
    docid_ = 0;
}

void TimeLimitSource::move_to(Xapian::docid docid) {
    docid_ = limit_->is_over() ? kBehindAll : docid;
    if (docid_ == kBehindAll) last_ = 0;
}

void TimeLimitSource::next(double) { move_to(docid_ + 1); }

void TimeLimitSource::skip_to(Xapian::docid docid, double) {
    if (docid > docid_) move_to(docid);
}

bool TimeLimitSource::check(Xapian::docid docid, double) {
    if (docid > docid_) move_to(docid);
    return true;
}

TimeLimitSource* TimeLimitSource::clone() const { return new TimeLimitSource(limit_); }
std::string TimeLimitSource::name() const { return "braid::TimeLimitSource"; }
std::string TimeLimitSource::get_description() const { return "braid::TimeLimitSource"; }
std::string TimeLimitSource::serialise() const { refuse_remote_time_limit(); }

}  // namespace braid
