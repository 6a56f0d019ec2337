// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/bag_matcher.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "braid/core/base/vector_sums.h"
#include "braid/plugin/database/statistics.h"

namespace braid {
namespace {

bool below(double bound, double least) { return bound * kBoundRounding < least; }

// One for each of the bag's terms.
std::vector<PostingAccess> postings_of(const Xapian::Database& shard, const BagOfWords& bag,
                                       const BagMatcher::Memory& memory) {
    if (memory.postings == nullptr) return std::vector<PostingAccess>(bag.terms.size());
    std::vector<std::string_view> terms;
    for (const BagTerm& term : bag.terms) terms.emplace_back(term.term);
    return memory.postings->find(shard, terms, memory.lengths.table.get(), memory.reads_all);
}

}  // namespace

BagMatcher::BagMatcher(const Xapian::Database& shard, const BagOfWords& bag,
                       const LexicalEnsemble* ensemble, std::span<const FieldEnsemble> fields,
                       std::span<const std::unique_ptr<const LexicalEnsemble>> blends,
                       std::vector<TopicColumn> topics, ProximityColumns proximity,
                       const Memory& memory, FusedCounters& counters)
    : shard_(shard),
      all_(bag.all),
      has_blends_(!blends.empty()),
      documents_(shard.get_doccount()),
      topics_(std::move(topics)),
      lengths_(memory.lengths),
      counters_(&counters),
      proximity_(std::move(proximity)),
      parts_(bag.terms.size()) {
    cursors_.reserve(bag.terms.size());
    std::vector<PostingAccess> postings = postings_of(shard, bag, memory);
    const double norm = ensemble != nullptr && ensemble->needs_norm() ? bag.query_norm() : 0;
    for (const BagTerm& term : bag.terms) {
        TermStatistics statistics = bag.statistics(term);
        statistics.query_norm = norm;
        cursors_.emplace_back(shard, term.term,
                              ensemble == nullptr ? nullptr : ensemble->term_scorer(statistics),
                              field_cursors(shard, bag, cursors_.size(), fields),
                              blend_cursors(shard, bag, cursors_.size(), blends),
                              std::move(postings[cursors_.size()]));
        const TermCursor& cursor = cursors_.back();
        counters_->postings += cursor.frequency();
        if (cursor.table() != nullptr) counters_->postings_in_memory += cursor.frequency();
        if (!proximity_.empty()) {
            most_.push_back(bound_statistics(shard, term.term).occurrences_max);
        }
    }
    if (ensemble != nullptr) {
        of_document_.use(ensemble->document_scorer({bag.collection, bag.length}), matches_max());
    }
    if (of_document_.scorer() != nullptr) {
        const BoundStatistics bounds = {
            .length_min = static_cast<double>(shard.get_doclength_lower_bound()),
            .length_max = static_cast<double>(shard.get_doclength_upper_bound())};
        document_bound_ = kBoundRounding * of_document_.scorer()->upper_bound(bounds);
    }
    if (!fields.empty()) {
        of_fields_.resize(fields.size());
        field_parts_.emplace(shard, bag, fields);
        document_bound_ += field_parts_->bound();
    }
    for (const TopicColumn& topic : topics_) topics_bound_ += topic.bound();
    shortest_ = static_cast<double>(shard.get_doclength_lower_bound());
    order_cursors();
    set_proximity_rest();
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

void BagMatcher::set_proximity_rest() {
    proximity_rest_.assign(order_.size() + 1, 0);
    if (proximity_.empty()) return;
    counts_.assign(order_.size(), 0);
    for (std::size_t i = order_.size(); i-- > 0;) {
        counts_[order_[i]] = most_[order_[i]];
        proximity_rest_[i] = proximity_.bound(counts_, shortest_);
    }
}

double BagMatcher::bound() const {
    return kBoundRounding * (rest_[0] + document_bound_ + topics_bound_ + proximity_rest_[0]);
}

// Of the current document, of whose lists so many have been looked at.
double BagMatcher::proximity_bound(std::size_t settled) {
    if (proximity_.empty()) return 0;
    counts_ = most_;
    for (std::size_t i = 0; i < settled; ++i) {
        const TermCursor& cursor = cursors_[order_[i]];
        const bool has = cursor.docid() == docid_;
        counts_[order_[i]] = has ? static_cast<double>(cursor.occurrences()) : 0;
    }
    return proximity_.bound(counts_, shortest_);
}

void BagMatcher::set_essential(double least) {
    if (least == least_) return;
    least_ = least;
    const double beyond = document_bound_ + topics_bound_;
    if (all_) {
        essential_ = below(rest_[0] + proximity_rest_[0] + beyond, least) ? 0 : order_.size();
        return;
    }
    essential_ = order_.size();
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (below(rest_[i] + proximity_rest_[i] + beyond, least)) {
            essential_ = i;
            return;
        }
    }
}

void BagMatcher::find_similar(const TopicFinding& finding, bool check_existence, TableMaker tables,
                              FoundSimilar* found) {
    finding_ = finding;
    found_ = found;
    make_table_ = std::move(tables);
    check_existence_ = check_existence;
    if (check_existence) finding_->best = 0;
}

// Only once something asks for documents in their order: where a filter leads, nothing does.
void BagMatcher::look_for_similar() {
    looked_ = true;
    if (below(topics_bound_ + document_bound_, finding_->floor)) return;
    for (std::size_t i = 0; i < topics_.size(); ++i) {
        const TopicTable* const table = topics_[i].table();
        if (table == nullptr || table->is_mapped()) topics_[i].use(make_table_(i));
    }
    if (found_ != nullptr && found_->answers(*finding_)) {
        similar_ = found_->docids;
        finding_->floor = found_->floor;
        return;
    }
    const TopicFinding asked = *finding_;
    search_clusters();
    if (found_ != nullptr) *found_ = {asked, true, similar_, finding_->floor};
}

void BagMatcher::search_clusters() {
    SimilarDocuments search(topics_, *finding_, document_bound_, *counters_, limit_.get());
    similar_ = search.find();
    finding_->floor = search.floor();
    if (check_existence_) keep_existing(shard_, similar_);
    counters_->documents_similar += similar_.size();
}

// Whether all lists that candidates come from are in memory, so that they can be read in any order.
bool BagMatcher::reads_ahead() const {
    const std::span<const std::size_t> lists(order_.data(), essential_);
    return !all_ && !records_ && !has_blends_ && essential_ > 0 &&
           CandidateStretch::serves(cursors_, lists);
}

// As next_with_words; sets candidate_.
Xapian::docid BagMatcher::next_read_ahead(Xapian::docid from) {
    if (ahead_ == nullptr) {
        ahead_ = std::make_unique<CandidateStretch>(cursors_, topics_, of_document_, proximity_,
                                                    *counters_);
    }
    for (;;) {
        const std::span<const Candidate> candidates = ahead_->candidates();
        while (ahead_at_ < candidates.size() && candidates[ahead_at_].docid < from) ++ahead_at_;
        if (ahead_at_ < candidates.size()) {
            candidate_ = &candidates[ahead_at_];
            return candidate_->docid;
        }
        from = std::max(from, ahead_->end());
        candidate_ = nullptr;
        const bool has_vectors = !topics_.empty() && topics_[0].table() != nullptr;
        ahead_->read(from, {.order = order_,
                            .essential = essential_,
                            .rest = rest_,
                            .document = document_bound_,
                            .topics = topics_bound_,
                            .proximity = proximity_rest_[0],
                            .least = least_,
                            .look_at_topics = has_vectors && least_ > 0,
                            .score = !late_});
        ahead_at_ = 0;
        const bool is_end = ahead_->end() == TermCursor::kEnd && ahead_->candidates().empty();
        if (is_end || is_stopped()) return TermCursor::kEnd;
    }
}

// The first document from `from` on that has one of the essential terms, or all; kEnd for none.
Xapian::docid BagMatcher::next_with_words(Xapian::docid from) {
    Xapian::docid least = TermCursor::kEnd;
    if (essential_ == 0 || order_.empty()) return least;
    if (reads_ahead_) return next_read_ahead(from);
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

// The same with what is similar.
Xapian::docid BagMatcher::next_candidate(Xapian::docid from) {
    if (!finding_) return next_with_words(from);
    while (similar_at_ < similar_.size() && similar_[similar_at_] < from) ++similar_at_;
    const Xapian::docid similar =
        similar_at_ < similar_.size() ? similar_[similar_at_] : TermCursor::kEnd;
    return finding_->others_only ? similar : std::min(similar, next_with_words(from));
}

bool BagMatcher::next(Xapian::docid from, double least) {
    if (finding_) {
        if (!looked_) look_for_similar();
        least = std::max(least, finding_->floor);
    }
    set_essential(least);
    reads_ahead_ = reads_ahead();
    // Cursors that nobody follows stand anywhere before.
    const bool follows = !(finding_ && finding_->others_only) && !reads_ahead_;
    settled_ = follows ? essential_ : 0;
    for (docid_ = next_candidate(from); docid_ != TermCursor::kEnd && !is_stopped();
         docid_ = next_candidate(docid_ + 1)) {
        if (!may_reach(least)) continue;
        pending_ = late_;
        weighed_ = false;
        if (pending_ || evaluate(least)) return true;
    }
    return false;
}

bool BagMatcher::check(Xapian::docid docid, double least) {
    if (finding_) least = std::max(least, finding_->floor);
    set_essential(least);
    docid_ = docid;
    settled_ = 0;
    pending_ = false;
    weighed_ = false;
    topics_here_ = topics_bound_;
    proximity_here_ = proximity_rest_[0];
    const bool nothing_reaches = essential_ == 0 && !(finding_ && order_.empty());
    return !nothing_reaches && evaluate(least);
}

bool BagMatcher::stand_behind() {
    reads_ahead_ = reads_ahead();
    docid_ = next_with_words(docid_ + 1);
    topics_here_ = topics_bound_;
    proximity_here_ = proximity_rest_[0];
    pending_ = true;
    weighed_ = false;
    return docid_ != TermCursor::kEnd;
}

bool BagMatcher::give_up() {
    ++counters_->documents_skipped;
    return false;
}

// By the numbers of occurrences in the current document; then by what the vectors' first
// components say, too.
bool BagMatcher::may_reach(double least) {
    if (is_candidate()) {
        topics_here_ = candidate_->topics;
        proximity_here_ = candidate_->proximity;
        return !below(candidate_->bound(), least) || give_up();
    }
    proximity_here_ = proximity_bound(settled_);
    double bound = rest_[settled_] + document_bound_ + proximity_here_;
    for (std::size_t i = 0; i < settled_; ++i) {
        const TermCursor& cursor = cursors_[order_[i]];
        if (cursor.docid() == docid_) bound += cursor.posting_bound();
    }
    topics_here_ = topics_bound_;
    if (below(bound + topics_here_, least)) return give_up();
    // What can bring more is looked at first.
    if (topics_bound_ < bound || !bound_topics(least)) return true;
    return !below(bound + topics_here_, least) || give_up();
}

// Sets topics_here_ of the current document, but not before there are enough results: until then
// nothing can be given up.
bool BagMatcher::bound_topics(double least) {
    if (topics_.empty() || !(least > 0) || topics_[0].table() == nullptr) return false;
    if (topics_here_ < topics_bound_) return true;
    topics_here_ = 0;
    for (const TopicColumn& topic : topics_) topics_here_ += topic.part_bound(docid_);
    counters_->vectors_bounded += topics_.size();
    return true;
}

// Makes weight_ of the current document; false where it doesn't match or can't reach `least`.
bool BagMatcher::evaluate(double least) {
    if (is_candidate() && candidate_->is_scored) {
        weight_ = candidate_->words;
        if (!proximity_.empty()) {
            const auto counts = ahead_->counts(*candidate_);
            counts_.assign(counts.begin(), counts.end());
            length_ = ahead_->length(*candidate_);
        }
    } else {
        const Gathered gathered = gather(docid_, least);
        if (gathered == Gathered::kGivenUp) return false;
        if (gathered == Gathered::kNoMatch) return finding_ && gather_similar(least);
        if (finding_ && finding_->others_only) return false;
        weight_ = 0;
        for (const double part : parts_) weight_ += part;
        weight_ += document_part_;
        if (!proximity_.empty()) {
            proximity_here_ = proximity_.bound(counts_, static_cast<double>(length_));
        }
    }
    const double beside = proximity_here_;
    if (below(weight_ + topics_here_ + beside, least)) return give_up();
    if (bound_topics(least) && below(weight_ + topics_here_ + beside, least)) return give_up();
    // Where another part of the query excludes documents, Xapian asks about the others only.
    if (late_ && !pending_) return true;
    add_topics();
    if (below(weight_ + beside, least)) return give_up();
    add_proximity();
    if (below(weight_, least)) return give_up();
    ++counters_->documents_scored;
    return true;
}

// The same of a document that doesn't match.
bool BagMatcher::gather_similar(double least) {
    if (below(document_bound_ + topics_here_, least)) return give_up();
    weight_ = 0;
    if (of_document_.scorer() != nullptr || field_parts_) {
        Xapian::termcount length = known_length();
        if (length == LengthTable::kUnknown) length = shard_.get_doclength(docid_);
        // An empty document has no such part, as PartMemo has it.
        weight_ = length == 0 ? 0 : score_document(length);
    }
    if (!add_topics() && !finding_->any) return false;
    if (below(weight_, least)) return give_up();
    ++counters_->documents_scored;
    return true;
}

// Whether any of them counts.
bool BagMatcher::add_topics() {
    weighed_ = true;
    bool any = false;
    for (TopicColumn& topic : topics_) {
        const double part = topic.part(docid_);
        weight_ += part;
        any = any || part > 0;
    }
    return any;
}

// Reads the positions of a document that has two adjacent words of the query.
void BagMatcher::add_proximity() {
    if (!(proximity_here_ > 0)) return;
    ++counters_->positions_read;
    const std::uint64_t before = proximity_.without_positions();
    weight_ = proximity_.add_to(weight_, docid_, counts_, static_cast<double>(length_));
    counters_->without_positions += proximity_.without_positions() - before;
}

// The part of the score that is the document's; reads its record where there are any.
double BagMatcher::score_document(Xapian::termcount length) {
    if (records_) {
        document_ = {.length = static_cast<double>(length)};
        records_->fill(docid_, document_, of_fields_);
        const LexicalScorer* const scorer = of_document_.scorer();
        double part = scorer == nullptr ? 0 : scorer->score(document_);
        if (field_parts_) part += field_parts_->score(of_fields_);
        return part;
    }
    return of_document_.score(length);
}

// Fills parts_ and document_part_.
BagMatcher::Gathered BagMatcher::gather(Xapian::docid docid, double least) {
    std::fill(parts_.begin(), parts_.end(), 0.0);
    std::fill(counts_.begin(), counts_.end(), 0.0);
    document_part_ = document_bound_;
    double sum = 0;
    bool found = false;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        TermCursor& cursor = cursors_[order_[i]];
        if (i >= settled_) {
            const double beside = topics_here_ + proximity_here_;
            if (below(sum + rest_[i] + document_part_ + beside, least)) {
                give_up();
                return Gathered::kGivenUp;
            }
            cursor.move_to(docid);
        }
        if (cursor.docid() != docid) {
            if (all_) return Gathered::kNoMatch;
            continue;
        }
        if (!found) {
            found = true;
            length_ = length_of_document(cursor);
            document_part_ = score_document(length_);
        }
        ++counters_->postings_scored;
        if (!counts_.empty()) counts_[order_[i]] = static_cast<double>(cursor.occurrences());
        parts_[order_[i]] = records_ ? cursor.score(document_, of_fields_) : cursor.score(length_);
        sum += parts_[order_[i]];
    }
    return found ? Gathered::kMatch : Gathered::kNoMatch;
}

Xapian::termcount BagMatcher::length_of_document(const TermCursor& cursor) const {
    if (cursor.table() != nullptr) return cursor.document_length();
    const Xapian::termcount known = known_length();
    if (known != LengthTable::kUnknown) return known;
    lengths_.count_read();
    return cursor.document_length();
}

double BagMatcher::weight() {
    if (pending_ && !weighed_ && !evaluate(least_)) {
        weighed_ = true;
        return weight_ = 0;
    }
    if (!weighed_) {
        add_topics();
        add_proximity();
        ++counters_->documents_scored;
    }
    return weight_;
}

bool BagMatcher::has_tables() const {
    return !records_ && !has_blends_ &&
           std::all_of(cursors_.begin(), cursors_.end(),
                       [](const TermCursor& cursor) { return cursor.table() != nullptr; });
}

void BagMatcher::add_words(std::span<double> scores, std::span<std::uint8_t> words) {
    for (TermCursor& cursor : cursors_) {
        const PostingTable& table = *cursor.table();
        for (std::size_t place = 0; place < table.size(); ++place) {
            const Xapian::docid docid = table.docid(place);
            if (docid >= scores.size()) break;
            scores[docid] += cursor.score_at(place);
            ++words[docid];
        }
        counters_->postings_scored += table.size();
    }
}

bool BagMatcher::has_words() const {
    const auto is_here = [this](const TermCursor& cursor) { return cursor.docid() == docid_; };
    if (!all_) return std::any_of(cursors_.begin(), cursors_.end(), is_here);
    return !cursors_.empty() && std::all_of(cursors_.begin(), cursors_.end(), is_here);
}

double BagMatcher::words_of(Xapian::docid docid, std::vector<std::size_t>& places) {
    places.resize(cursors_.size());
    double sum = 0;
    for (std::size_t i = 0; i < cursors_.size(); ++i) {
        const PostingTable& table = *cursors_[i].table();
        places[i] = table.find(places[i], docid);
        if (table.docid(places[i]) == docid) sum += cursors_[i].score_at(places[i]);
    }
    return sum;
}

// How many documents a BagMatcher matches, apart from finding them.

Xapian::doccount BagMatcher::matches_min() const {
    std::uint64_t most = 0;
    std::uint64_t missing = 0;
    for (const TermCursor& cursor : cursors_) {
        // Lists that are longer than the shard come from a damaged one.
        const std::uint64_t has = std::min(cursor.frequency(), documents_);
        most = std::max(most, has);
        missing += documents_ - has;
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
        const double has =
            static_cast<double>(std::min(cursor.frequency(), documents_)) / documents_;
        share *= all_ ? has : 1 - has;
    }
    const double estimate = std::round((all_ ? share : 1 - share) * documents_);
    return std::clamp(static_cast<Xapian::doccount>(estimate), matches_min(), matches_max());
}

}  // namespace braid
