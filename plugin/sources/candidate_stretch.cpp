// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/candidate_stretch.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "braid/core/base/vector_sums.h"

namespace braid {
namespace {

bool below(double bound, double least) { return bound * kBoundRounding < least; }

// Vectors that are fetched ahead.
constexpr std::size_t kAhead = 16;

// Postings that the first stretch has, about: until there are enough results nothing is left out,
// and what is read ahead is read in vain.
constexpr double kFirstPostings = 32;

// A search in a list takes as long as a walk over so many postings, about.
constexpr double kPostingsPerFind = 8;

double last_document(const PostingTable& table) {
    return table.size() == 0 ? 1 : static_cast<double>(table.docid(table.size() - 1));
}

}  // namespace

bool CandidateStretch::serves(const std::vector<TermCursor>& cursors,
                              std::span<const std::size_t> lists) {
    return std::all_of(lists.begin(), lists.end(),
                       [&](std::size_t list) { return cursors[list].table() != nullptr; });
}

// Each is twice as long as the one before.
void CandidateStretch::set_length(const Search& search) {
    if (length_ == 0) {
        double postings = 1;
        double documents = 1;
        for (const std::size_t list : search.lists()) {
            const PostingTable& table = *cursors_[list].table();
            postings += static_cast<double>(table.size());
            documents = std::max(documents, last_document(table));
        }
        length_ = 1 + static_cast<std::size_t>(kFirstPostings * documents / postings);
    } else {
        length_ *= 2;
    }
    length_ = std::min(length_, kLongest);
}

void CandidateStretch::read(Xapian::docid from, const Search& search) {
    candidates_.clear();
    places_.resize(cursors_.size());
    begin_ = PostingTable::kEnd;
    for (const std::size_t list : search.lists()) {
        const PostingTable& table = *cursors_[list].table();
        places_[list] = table.find(places_[list], from);
        begin_ = std::min(begin_, table.docid(places_[list]));
    }
    end_ = begin_;
    if (begin_ == PostingTable::kEnd) return;
    set_length(search);
    end_ += static_cast<Xapian::docid>(std::min<std::size_t>(length_, PostingTable::kEnd - begin_));
    add_bounds(search);
    collect(search);
    if (search.look_at_topics) bound_topics(search, false);
    if (!search.score || candidates_.empty()) return;
    score(search);
    if (search.look_at_topics) bound_topics(search, true);
}

void CandidateStretch::add_bounds(const Search& search) {
    for (const std::size_t list : search.lists()) {
        const PostingTable& table = *cursors_[list].table();
        const auto bounds = cursors_[list].group_bounds();
        for (std::size_t place = places_[list]; table.docid(place) < end_; ++place) {
            const std::size_t at = table.docid(place) - begin_;
            bounds_[at] += bounds[table.group(place)];
            see(at);
        }
    }
}

void CandidateStretch::collect(const Search& search) {
    const double others = search.rest[search.essential] + search.document;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        for (std::uint64_t bits = std::exchange(seen_[i], 0); bits != 0; bits &= bits - 1) {
            const std::size_t at = i * kBits + static_cast<std::size_t>(std::countr_zero(bits));
            const double words = std::exchange(bounds_[at], 0.0) + others;
            if (below(words + search.topics + search.proximity, search.least)) {
                ++counters_.documents_skipped;
            } else {
                candidates_.push_back({begin_ + static_cast<Xapian::docid>(at), 0, false, words,
                                       search.topics, search.proximity});
            }
        }
    }
}

template <typename Keep>
void CandidateStretch::keep_if(const Keep& keep) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        Candidate candidate = candidates_[i];
        if (keep(i, candidate)) candidates_[kept++] = candidate;
    }
    counters_.documents_skipped += candidates_.size() - kept;
    candidates_.resize(kept);
}

// Once more through the lists, for the documents that are left; then through the others, by falling
// bound, as long as they have tables.
void CandidateStretch::score(const Search& search) {
    scored_.assign(candidates_.size(), {});
    parts_.assign(candidates_.size() * cursors_.size(), 0);
    if (!proximity_.empty()) counts_.assign(parts_.size(), 0);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const std::size_t at = candidates_[i].docid - begin_;
        candidates_[i].row = static_cast<std::uint32_t>(i);
        rows_[at] = static_cast<std::uint16_t>(i);
        see(at);
    }
    std::size_t scored = 0;
    for (const std::size_t list : search.order) {
        if (scored >= search.essential) drop(search, search.rest[scored]);
        if (cursors_[list].table() == nullptr || candidates_.empty()) break;
        score_list(list);
        ++scored;
    }
    if (scored == search.order.size()) {
        bound_proximity();
        drop(search, 0);
        add_up();
    }
    seen_ = {};
}

// Walks over the list's postings in the stretch, or searches for each candidate.
void CandidateStretch::score_list(std::size_t list) {
    const PostingTable& table = *cursors_[list].table();
    const Xapian::docid first = candidates_.front().docid;
    const Xapian::docid last = candidates_.back().docid;
    std::size_t place = places_[list] = table.find(places_[list], begin_);
    const double share = static_cast<double>(last - first + 1) / last_document(table);
    if (static_cast<double>(table.size()) * share <
        kPostingsPerFind * static_cast<double>(candidates_.size())) {
        for (; table.docid(place) <= last; ++place) {
            const std::size_t at = table.docid(place) - begin_;
            if (has_seen(at)) score_posting(list, place, rows_[at]);
        }
        return;
    }
    for (const Candidate& candidate : candidates_) {
        place = table.find(place, candidate.docid);
        if (table.docid(place) == candidate.docid) score_posting(list, place, candidate.row);
    }
}

void CandidateStretch::score_posting(std::size_t list, std::size_t place, std::size_t row) {
    TermCursor& cursor = cursors_[list];
    const double part = cursor.score_at(place);
    parts_[row * cursors_.size() + list] = part;
    if (!proximity_.empty()) {
        counts_[row * cursors_.size() + list] =
            static_cast<double>(cursor.table()->occurrences(place));
    }
    scored_[row].sum += part;
    scored_[row].length = cursor.table()->length(place);
    ++counters_.postings_scored;
}

// Leaves out what can't reach the least score by what was found and `others`.
void CandidateStretch::drop(const Search& search, double others) {
    keep_if([&](std::size_t, Candidate& candidate) {
        const Row& row = scored_[candidate.row];
        candidate.words = row.sum + document_.score(row.length) + others;
        if (!below(candidate.bound(), search.least)) return true;
        const std::size_t at = candidate.docid - begin_;
        seen_[at / kBits] &= ~(std::uint64_t{1} << (at % kBits));
        return false;
    });
}

// By the words that each document has.
void CandidateStretch::bound_proximity() {
    if (proximity_.empty()) return;
    for (Candidate& candidate : candidates_) {
        candidate.proximity =
            proximity_.bound(counts(candidate), static_cast<double>(length(candidate)));
    }
}

// Adds in the order of a plain evaluation.
void CandidateStretch::add_up() {
    for (Candidate& candidate : candidates_) {
        const double* const parts = parts_.data() + candidate.row * cursors_.size();
        double sum = 0;
        for (std::size_t i = 0; i < cursors_.size(); ++i) sum += parts[i];
        candidate.words = sum + document_.score(scored_[candidate.row].length);
        candidate.is_scored = true;
    }
}

// Where words can bring more than topics they are looked at first, and topics later: with `all`,
// of those that are left.
void CandidateStretch::bound_topics(const Search& search, bool all) {
    const std::size_t topics = topics_.size();
    topic_rows_.resize(candidates_.size() * topics);
    const auto is_due = [&](const Candidate& candidate) {
        const bool is_bounded = candidate.topics < search.topics;
        return !is_bounded && (all || candidate.words <= candidate.topics);
    };
    const auto fetch = [&](std::size_t i) {
        if (i >= candidates_.size() || !is_due(candidates_[i])) return;
        for (std::size_t t = 0; t < topics; ++t) {
            topic_rows_[i * topics + t] = topics_[t].fetch(candidates_[i].docid);
        }
    };
    for (std::size_t i = 0; i < kAhead; ++i) fetch(i);
    keep_if([&](std::size_t i, Candidate& candidate) {
        fetch(i + kAhead);
        if (!is_due(candidate)) return true;
        const std::uint32_t* const rows = topic_rows_.data() + i * topics;
        candidate.topics = 0;
        for (std::size_t t = 0; t < topics; ++t) candidate.topics += topics_[t].bound_of(rows[t]);
        counters_.vectors_bounded += topics;
        if (below(candidate.bound(), search.least)) return false;
        for (std::size_t t = 0; t < topics; ++t) topics_[t].fetch_rest(rows[t]);
        return true;
    });
}

}  // namespace braid
