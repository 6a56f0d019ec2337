// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/field_cursor.h"

#include <utility>

#include "braid/plugin/database/statistics.h"
#include "braid/plugin/tables/record_reader.h"
#include "braid/plugin/tables/rounding.h"

namespace braid {
BoundStatistics field_bounds(const Xapian::Database& database, const std::string& term) {
    BoundStatistics bounds = bound_statistics(database, term);
    bounds.length_min = 1;
    return bounds;
}

FieldCursor::FieldCursor(const Xapian::Database& shard, const std::string& term, std::size_t field,
                         std::unique_ptr<const LexicalScorer> scorer)
    : scorer_(std::move(scorer)), posting_(shard.postlist_begin(term)), field_(field) {
    if (posting_ == Xapian::PostingIterator()) return;
    bound_ = kRounding * scorer_->upper_bound(field_bounds(shard, term));
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
    bound_ *= kRounding;
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
