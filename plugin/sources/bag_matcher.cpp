// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/bag_matcher.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "braid/plugin/database/statistics.h"
#include "braid/plugin/sources/rounding.h"

namespace braid {
namespace {

// Rarer terms are walked faster than bounds for their numbers of occurrences are made.
constexpr Xapian::doccount kFrequent = 500;

bool below(double bound, double least) { return bound * kRounding < least; }

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

BagMatcher::BagMatcher(const Xapian::Database& shard, const BagOfWords& bag,
                       const LexicalEnsemble* ensemble, std::span<const FieldEnsemble> fields,
                       std::vector<TopicColumn> topics, LengthAccess lengths,
                       FusedCounters& counters)
    : all_(bag.all),
      documents_(shard.get_doccount()),
      topics_(std::move(topics)),
      lengths_(std::move(lengths)),
      counters_(&counters),
      parts_(bag.terms.size()) {
    cursors_.reserve(bag.terms.size());
    const double norm = ensemble != nullptr && ensemble->needs_norm() ? bag.query_norm() : 0;
    for (const BagTerm& term : bag.terms) {
        TermStatistics statistics = bag.statistics(term);
        statistics.query_norm = norm;
        cursors_.emplace_back(shard, term.term,
                              ensemble == nullptr ? nullptr : ensemble->term_scorer(statistics),
                              field_cursors(shard, bag, cursors_.size(), fields));
        counters_->postings += cursors_.back().frequency();
    }
    if (ensemble != nullptr) {
        document_scorer_ = ensemble->document_scorer({bag.collection, bag.length});
    }
    if (document_scorer_ != nullptr) {
        const BoundStatistics bounds = {
            .length_min = static_cast<double>(shard.get_doclength_lower_bound()),
            .length_max = static_cast<double>(shard.get_doclength_upper_bound())};
        document_bound_ = kRounding * document_scorer_->upper_bound(bounds);
        document_memo_.reset(matches_max());
    }
    if (!fields.empty()) {
        of_fields_.resize(fields.size());
        field_parts_.emplace(shard, bag, fields);
        document_bound_ += field_parts_->bound();
    }
    topic_rest_.assign(topics_.size() + 1, 0);
    for (std::size_t i = topics_.size(); i-- > 0;) {
        topic_rest_[i] = topic_rest_[i + 1] + topics_[i].bound;
    }
    order_cursors();
}

void BagMatcher::order_cursors() {
    order_.resize(cursors_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        if (all_) return cursors_[a].frequency() < cursors_[b].frequency();
        return cursors_[a].bound() > cursors_[b].bound();
    });
    rest_.assign(order_.size() + 1, 0);
    for (std::size_t i = order_.size(); i-- > 0;) {
        rest_[i] = rest_[i + 1] + cursors_[order_[i]].bound();
    }
}

double BagMatcher::bound() const {
    return kRounding * (rest_[0] + document_bound_ + topic_rest_[0]);
}

Xapian::doccount BagMatcher::matches_min() const {
    std::uint64_t most = 0;
    std::uint64_t missing = 0;
    for (const TermCursor& cursor : cursors_) {
        most = std::max<std::uint64_t>(most, cursor.frequency());
        missing += documents_ - cursor.frequency();
    }
    if (!all_) return static_cast<Xapian::doccount>(most);
    return missing < documents_ ? static_cast<Xapian::doccount>(documents_ - missing) : 0;
}

Xapian::doccount BagMatcher::matches_max() const {
    std::uint64_t sum = 0;
    std::uint64_t least = documents_;
    for (const TermCursor& cursor : cursors_) {
        sum += cursor.frequency();
        least = std::min<std::uint64_t>(least, cursor.frequency());
    }
    return static_cast<Xapian::doccount>(all_ ? least : std::min<std::uint64_t>(sum, documents_));
}

Xapian::doccount BagMatcher::matches_estimate() const {
    if (documents_ == 0) return 0;
    double share = 1;
    for (const TermCursor& cursor : cursors_) {
        const double has = static_cast<double>(cursor.frequency()) / documents_;
        share *= all_ ? has : 1 - has;
    }
    const double estimate = std::round((all_ ? share : 1 - share) * documents_);
    return std::clamp(static_cast<Xapian::doccount>(estimate), matches_min(), matches_max());
}

void BagMatcher::set_essential(double least) {
    if (least == least_) return;
    least_ = least;
    const double beyond = document_bound_ + topic_rest_[0];
    if (all_) {
        essential_ = below(rest_[0] + beyond, least) ? 0 : order_.size();
        return;
    }
    essential_ = order_.size();
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (below(rest_[i] + beyond, least)) {
            essential_ = i;
            return;
        }
    }
}

// The first document from `from` on that has one of the essential terms, or all; kEnd for none.
Xapian::docid BagMatcher::next_candidate(Xapian::docid from) {
    Xapian::docid least = TermCursor::kEnd;
    if (essential_ == 0) return least;
    if (!all_) {
        for (std::size_t i = 0; i < essential_; ++i) {
            TermCursor& cursor = cursors_[order_[i]];
            cursor.move_to(from);
            least = std::min(least, cursor.docid());
        }
        return least;
    }
    least = from;
    for (std::size_t agreed = 0, i = 0; agreed < order_.size(); i = (i + 1) % order_.size()) {
        TermCursor& cursor = cursors_[order_[i]];
        cursor.move_to(least);
        if (cursor.docid() == TermCursor::kEnd) return TermCursor::kEnd;
        agreed = cursor.docid() == least ? agreed + 1 : 1;
        least = cursor.docid();
    }
    return least;
}

bool BagMatcher::next(Xapian::docid from, double least) {
    set_essential(least);
    for (docid_ = next_candidate(from); docid_ != TermCursor::kEnd;
         docid_ = next_candidate(docid_ + 1)) {
        if (!may_reach(least, essential_)) continue;
        for (const TopicColumn& topic : topics_) {
            if (!late_ && topic.vectors.table != nullptr) topic.vectors.table->prefetch(docid_);
        }
        pending_ = late_;
        weighed_ = false;
        if (pending_ || evaluate(essential_, least)) return true;
    }
    return false;
}

bool BagMatcher::check(Xapian::docid docid, double least) {
    set_essential(least);
    docid_ = docid;
    pending_ = false;
    weighed_ = false;
    return essential_ > 0 && evaluate(0, least);
}

bool BagMatcher::give_up() {
    ++counters_->documents_skipped;
    return false;
}

// By the numbers of occurrences in the current document, which `settled` cursors of order_ are
// known to stand at or beyond.
bool BagMatcher::may_reach(double least, std::size_t settled) {
    double bound = rest_[settled] + document_bound_ + topic_rest_[0];
    for (std::size_t i = 0; i < settled; ++i) {
        const TermCursor& cursor = cursors_[order_[i]];
        if (cursor.docid() == docid_) bound += cursor.posting_bound();
    }
    return !below(bound, least) || give_up();
}

// Makes weight_ of the current document; false as `gather`.
bool BagMatcher::evaluate(std::size_t settled, double least) {
    if (!gather(docid_, settled, least)) return false;
    weight_ = 0;
    for (const double part : parts_) weight_ += part;
    weight_ += document_part_;
    return !below(weight_ + topic_rest_[0], least) || give_up();
}

// The part of the score that is the document's; reads its record where there are any.
double BagMatcher::score_document(Xapian::termcount length) {
    if (records_) {
        document_ = {.length = static_cast<double>(length)};
        records_->fill(docid_, document_, of_fields_);
        double part = document_scorer_ == nullptr ? 0 : document_scorer_->score(document_);
        if (field_parts_) part += field_parts_->score(of_fields_);
        return part;
    }
    if (document_scorer_ == nullptr) return document_bound_;
    return document_memo_.get(0, length, [&] {
        return document_scorer_->score({0, static_cast<double>(length), 0});
    });
}

// Fills parts_ and document_part_; false where the document doesn't match or can't reach `least`.
bool BagMatcher::gather(Xapian::docid docid, std::size_t settled, double least) {
    std::fill(parts_.begin(), parts_.end(), 0.0);
    document_part_ = document_bound_;
    double sum = 0;
    bool found = false;
    Xapian::termcount length = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        TermCursor& cursor = cursors_[order_[i]];
        if (i >= settled) {
            if (below(sum + rest_[i] + document_part_ + topic_rest_[0], least)) return give_up();
            cursor.move_to(docid);
        }
        if (cursor.docid() != docid) {
            if (all_) return false;
            continue;
        }
        if (!found) {
            found = true;
            length = length_of_document(cursor);
            document_part_ = score_document(length);
        }
        ++counters_->postings_scored;
        parts_[order_[i]] = records_ ? cursor.score(document_, of_fields_) : cursor.score(length);
        sum += parts_[order_[i]];
    }
    return found;
}

// `cursor` stands at the document.
Xapian::termcount BagMatcher::length_of_document(const TermCursor& cursor) const {
    if (lengths_.table != nullptr) return lengths_.table->length(docid_);
    lengths_.count_read();
    return cursor.document_length();
}

double BagMatcher::weight() {
    if (weighed_) return weight_;
    weighed_ = true;
    if (pending_ && !evaluate(essential_, least_)) return weight_ = 0;
    for (TopicColumn& topic : topics_) weight_ += topic.weight * similarity(topic);
    ++counters_->documents_scored;
    return weight_;
}

std::string_view BagMatcher::value_of_document(TopicColumn& topic) const {
    if (topic.vectors.table != nullptr) {
        ++counters_->vectors_in_memory;
        return topic.vectors.table->value(docid_);
    }
    topic.vectors.count_read();
    const Xapian::ValueIterator end;
    if (topic.values == end || !topic.values.check(docid_)) return {};
    if (topic.values == end || topic.values.get_docid() != docid_) return {};
    topic.buffer = *topic.values;
    return topic.buffer;
}

double BagMatcher::similarity(TopicColumn& topic) {
    const std::optional<StoredVector> stored =
        try_open_vector(value_of_document(topic), topic.query->dimensions());
    if (!stored || stored->info.model_tag != topic.tag) return 0;
    ++counters_->vectors_decoded;
    const double cosine = topic.query->dot(*stored);
    return cosine > 0 ? std::min(cosine, 1.0) : 0;
}

}  // namespace braid
