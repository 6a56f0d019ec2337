// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/term_cursor.h"

#include <algorithm>
#include <utility>

#include "braid/plugin/database/statistics.h"
#include "braid/plugin/tables/rounding.h"

namespace braid {
namespace {

// Rarer terms are walked faster than bounds for their numbers of occurrences are made.
constexpr Xapian::doccount kFrequent = 500;

}  // namespace

TermCursor::TermCursor(const Xapian::Database& shard, const std::string& term,
                       std::unique_ptr<const LexicalScorer> scorer, std::vector<FieldCursor> fields,
                       PostingAccess access)
    : scorer_(std::move(scorer)),
      table_(std::move(access.table)),
      reads_(table_ == nullptr ? std::move(access.reads) : nullptr),
      fields_(std::move(fields)) {
    if (table_ != nullptr) {
        frequency_ = static_cast<Xapian::doccount>(table_->size());
        docid_ = table_->docid(0);
    } else {
        posting_ = shard.postlist_begin(term);
        frequency_ = shard.get_termfreq(term);
        if (posting_ != Xapian::PostingIterator()) docid_ = *posting_;
    }
    if (docid_ == kEnd) return;
    double beside = 0;
    for (const FieldCursor& field : fields_) beside += field.bound();
    bound_ = beside;
    bounds_.fill(bound_);
    if (scorer_ == nullptr) return;
    if (table_ != nullptr) {
        make_bounds(beside);
    } else {
        make_bounds(bound_statistics(shard, term), beside);
    }
    memo_.reset(frequency_);
}

double TermCursor::bound_of(const BoundStatistics& statistics) const {
    return kRounding * scorer_->upper_bound(statistics);
}

// By what the postings are.
void TermCursor::make_bounds(double beside) {
    for (std::size_t i = 1; i < bounds_.size(); ++i) {
        const PostingTable::Group& group = table_->groups()[i];
        if (group.empty) continue;
        bounds_[i] =
            beside + bound_of({.occurrences_max = static_cast<double>(group.occurrences_max),
                               .length_min = static_cast<double>(group.length_min),
                               .length_max = static_cast<double>(group.length_max)});
        bound_ = std::max(bound_, bounds_[i]);
    }
}

// By what the database says of them.
void TermCursor::make_bounds(const BoundStatistics& statistics, double beside) {
    bound_ += bound_of(statistics);
    std::fill(bounds_.begin() + 1, bounds_.end(), bound_);
    if (frequency_ < kFrequent) return;
    BoundStatistics fewer = statistics;
    for (std::size_t i = 1; i + 1 < bounds_.size(); ++i) {
        if (static_cast<double>(i) >= statistics.occurrences_max) break;
        fewer.occurrences_max = static_cast<double>(i);
        bounds_[i] = std::min(bound_, beside + bound_of(fewer));
    }
}

}  // namespace braid
