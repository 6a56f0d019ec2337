// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/term_cursor.h"

#include <algorithm>
#include <utility>

#include "braid/core/base/vector_sums.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/tables/record_reader.h"

namespace braid {
namespace {

// Rarer terms are walked faster than bounds for their numbers of occurrences are made.
constexpr Xapian::doccount kFrequent = 500;

// A list that isn't in memory is walked by processes that search once, which get their memory page
// by page, each in the time of 50 scores. Twice or four times as many made no difference to others.
constexpr std::size_t kMostRemembered = 1024;

}  // namespace

TermCursor::TermCursor(const Xapian::Database& shard, const std::string& term,
                       std::unique_ptr<const LexicalScorer> scorer, std::vector<FieldCursor> fields,
                       std::vector<BlendCursor> blends, PostingAccess access)
    : scorer_(std::move(scorer)),
      table_(std::move(access.table)),
      reads_(table_ == nullptr ? std::move(access.reads) : nullptr),
      fields_(std::move(fields)),
      blends_(std::move(blends)) {
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
    for (const BlendCursor& blend : blends_) beside += blend.bound();
    bound_ = beside;
    bounds_.fill(bound_);
    if (scorer_ == nullptr) return;
    if (table_ != nullptr) {
        make_bounds(beside);
    } else {
        make_bounds(bound_statistics(shard, term), beside);
    }
    memo_.reset(table_ != nullptr ? frequency_
                                  : std::min<std::size_t>(frequency_, kMostRemembered));
}

double TermCursor::bound_of(const BoundStatistics& statistics) const {
    return kBoundRounding * scorer_->upper_bound(statistics);
}

// Bounds from the postings themselves.
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

// Bounds from the database's statistics.
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

BoundStatistics field_bounds(const Xapian::Database& database, const std::string& term) {
    BoundStatistics bounds = bound_statistics(database, term);
    bounds.length_min = 1;
    return bounds;
}

FieldCursor::FieldCursor(const Xapian::Database& shard, const std::string& term, std::size_t field,
                         std::unique_ptr<const LexicalScorer> scorer)
    : scorer_(std::move(scorer)), posting_(shard.postlist_begin(term)), field_(field) {
    if (posting_ == Xapian::PostingIterator()) return;
    bound_ = kBoundRounding * scorer_->upper_bound(field_bounds(shard, term));
}

double FieldCursor::score(Xapian::docid docid, std::span<const DocumentStatistics> fields) {
    const Xapian::PostingIterator end;
    if (posting_ == end) return 0;
    posting_.skip_to(docid);
    if (posting_ == end || *posting_ != docid) return 0;
    return scorer_->score(
        with_occurrences(fields[field_], static_cast<double>(posting_.get_wdf())));
}

FieldDocumentParts::FieldDocumentParts(const Xapian::Database& shard, const BagOfWords& bag,
                                       std::span<const FieldEnsemble> fields) {
    const BoundStatistics bounds = field_bounds(shard, "");
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const BagField& field = bag.fields[i];
        scorers_.push_back(fields[i].ensemble->document_scorer({field.collection, field.length()}));
        if (scorers_.back() != nullptr) bound_ += scorers_.back()->upper_bound(bounds);
    }
    bound_ *= kBoundRounding;
}

double FieldDocumentParts::score(std::span<const DocumentStatistics> fields) const {
    double sum = 0;
    for (std::size_t i = 0; i < scorers_.size(); ++i) {
        if (scorers_[i] != nullptr) sum += scorers_[i]->score(fields[i]);
    }
    return sum;
}

std::vector<FieldCursor> field_cursors(const Xapian::Database& shard, const BagOfWords& bag,
                                       std::size_t term, std::span<const FieldEnsemble> fields) {
    std::vector<FieldCursor> cursors;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const BagField& field = bag.fields[i];
        const BagTerm& in_field = field.terms[term];
        if (in_field.term.empty()) continue;
        const LexicalEnsemble& ensemble = *fields[i].ensemble;
        TermStatistics statistics = field.statistics(in_field);
        if (ensemble.needs_norm()) statistics.query_norm = field.query_norm();
        cursors.emplace_back(shard, in_field.term, i, ensemble.term_scorer(statistics));
    }
    return cursors;
}

}  // namespace braid
