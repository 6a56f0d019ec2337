// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/blend_cursor.h"

#include <algorithm>
#include <utility>

#include "braid/core/base/vector_sums.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/tables/posting_table.h"

namespace braid {

BoundStatistics blend_bounds(const Xapian::Database& database, const std::string& term,
                             const BagBlend& blend) {
    BoundStatistics bounds = bound_statistics(database, term);
    bounds.occurrences_max *= blend.whole;
    for (const auto& [in_field, weight] : blend.terms_for(term)) {
        bounds.occurrences_max += weight * bound_statistics(database, in_field).occurrences_max;
    }
    // Weighed words may be more than the document has.
    bounds.length_max = std::max(bounds.length_max, bounds.occurrences_max);
    return bounds;
}

BlendCursor::BlendCursor(const Xapian::Database& shard, const std::string& term,
                         const BagBlend& blend, std::unique_ptr<const LexicalScorer> scorer)
    : scorer_(std::move(scorer)), whole_(blend.whole) {
    for (const auto& [in_field, weight] : blend.terms_for(term)) {
        const Xapian::PostingIterator at = shard.postlist_begin(in_field);
        if (at != Xapian::PostingIterator()) postings_.push_back({at, *at, weight});
    }
    bound_ = kBoundRounding * scorer_->upper_bound(blend_bounds(shard, term, blend));
}

double BlendCursor::score(Xapian::docid docid, DocumentStatistics document) {
    document.occurrences *= whole_;
    for (Posting& posting : postings_) {
        if (posting.docid < docid) {
            posting.at.skip_to(docid);
            posting.docid =
                posting.at == Xapian::PostingIterator() ? PostingTable::kEnd : *posting.at;
        }
        if (posting.docid != docid) continue;
        document.occurrences += posting.weight * static_cast<double>(posting.at.get_wdf());
    }
    return scorer_->score(document);
}

std::vector<BlendCursor> blend_cursors(
    const Xapian::Database& shard, const BagOfWords& bag, std::size_t term,
    std::span<const std::unique_ptr<const LexicalEnsemble>> ensembles) {
    std::vector<BlendCursor> cursors;
    const BagTerm& of_bag = bag.terms[term];
    for (std::size_t i = 0; i < ensembles.size(); ++i) {
        cursors.emplace_back(shard, of_bag.term, bag.blends[i],
                             ensembles[i]->term_scorer(bag.statistics(of_bag)));
    }
    return cursors;
}

}  // namespace braid
