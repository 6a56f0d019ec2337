// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/term_cursor.h"

#include <algorithm>
#include <utility>

#include "braid/plugin/database/statistics.h"
#include "braid/plugin/sources/rounding.h"

namespace braid {
namespace {

// Rarer terms are walked faster than bounds for their numbers of occurrences are made.
constexpr Xapian::doccount kFrequent = 500;

}  // namespace

TermCursor::TermCursor(const Xapian::Database& shard, const std::string& term,
                       std::unique_ptr<const LexicalScorer> scorer, std::vector<FieldCursor> fields)
    : scorer_(std::move(scorer)),
      posting_(shard.postlist_begin(term)),
      frequency_(shard.get_termfreq(term)),
      fields_(std::move(fields)) {
    if (posting_ == Xapian::PostingIterator()) return;
    docid_ = *posting_;
    double beside = 0;
    for (const FieldCursor& field : fields_) beside += field.bound();
    bound_ = beside;
    bounds_.fill(bound_);
    if (scorer_ == nullptr) return;
    BoundStatistics statistics = bound_statistics(shard, term);
    bound_ += kRounding * scorer_->upper_bound(statistics);
    bounds_.fill(bound_);
    if (frequency_ >= kFrequent) {
        const double most = statistics.occurrences_max;
        for (std::size_t i = 0; i < bounds_.size(); ++i) {
            if (static_cast<double>(i) >= most) break;
            statistics.occurrences_max = static_cast<double>(i);
            bounds_[i] = std::min(bound_, kRounding * scorer_->upper_bound(statistics) + beside);
        }
    }
    memo_.reset(frequency_);
}

}  // namespace braid
