// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/candidate_stretch.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "braid/plugin/sources/rounding.h"

namespace braid {
namespace {

bool below(double bound, double least) { return bound * kRounding < least; }

// Vectors that are fetched ahead.
constexpr std::size_t kAhead = 16;

// Postings that the first stretch has, about: until there are enough results nothing is left out,
// and what is read ahead is read in vain.
constexpr double kFirstPostings = 32;

}  // namespace

bool CandidateStretch::serves(const std::vector<TermCursor>& cursors,
                              std::span<const std::size_t> lists) {
    return std::all_of(lists.begin(), lists.end(),
                       [&](std::size_t list) { return cursors[list].table() != nullptr; });
}

void CandidateStretch::read(const std::vector<TermCursor>& cursors,
                            std::span<const std::size_t> lists, Xapian::docid from,
                            const std::vector<TopicColumn>& topics, const Beside& beside,
                            FusedCounters& counters) {
    candidates_.clear();
    places_.resize(cursors.size());
    begin_ = PostingTable::kEnd;
    double postings = 1;
    Xapian::docid last = 1;
    for (const std::size_t list : lists) {
        const PostingTable& table = *cursors[list].table();
        places_[list] = table.find(places_[list], from);
        begin_ = std::min(begin_, table.docid(places_[list]));
        if (length_ > 0 || table.size() == 0) continue;
        postings += static_cast<double>(table.size());
        last = std::max(last, table.docid(table.size() - 1));
    }
    end_ = begin_;
    if (begin_ == PostingTable::kEnd) return;
    if (length_ == 0) {
        length_ = static_cast<std::size_t>(kFirstPostings * static_cast<double>(last) / postings);
    }
    length_ = std::min(length_, kLongest);
    end_ = begin_ + static_cast<Xapian::docid>(std::min<std::size_t>(
                        std::max<std::size_t>(length_, 1), PostingTable::kEnd - begin_));
    length_ = 2 * length_ + 1;
    add_up(cursors, lists);
    counters.documents_skipped += collect(beside);
    if (beside.look_at_topics) bound_topics(topics, beside, counters);
}

void CandidateStretch::add_up(const std::vector<TermCursor>& cursors,
                              std::span<const std::size_t> lists) {
    for (const std::size_t list : lists) {
        const PostingTable& table = *cursors[list].table();
        const auto bounds = cursors[list].group_bounds();
        std::size_t place = places_[list];
        for (; table.docid(place) < end_; ++place) {
            const std::size_t at = table.docid(place) - begin_;
            sums_[at] += bounds[table.group(place)];
            seen_[at / kBits] |= std::uint64_t{1} << (at % kBits);
        }
        places_[list] = place;
    }
}

// How many were left out.
std::uint64_t CandidateStretch::collect(const Beside& beside) {
    std::uint64_t left_out = 0;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        for (std::uint64_t bits = std::exchange(seen_[i], 0); bits != 0; bits &= bits - 1) {
            const std::size_t at = i * kBits + static_cast<std::size_t>(std::countr_zero(bits));
            const double words = std::exchange(sums_[at], 0.0) + beside.words;
            if (below(words + beside.topics, beside.least)) {
                ++left_out;
            } else {
                candidates_.push_back(
                    {begin_ + static_cast<Xapian::docid>(at), words, beside.topics});
            }
        }
    }
    return left_out;
}

// What can bring more is looked at first: vectors only where that is topics. They are all begun to
// be fetched.
void CandidateStretch::bound_topics(const std::vector<TopicColumn>& topics, const Beside& beside,
                                    FusedCounters& counters) {
    const auto fetch = [&](std::size_t i) {
        if (i >= candidates_.size()) return;
        for (const TopicColumn& topic : topics) topic.prefetch(candidates_[i].docid);
    };
    for (std::size_t i = 0; i < kAhead; ++i) fetch(i);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        fetch(i + kAhead);
        Candidate candidate = candidates_[i];
        if (candidate.words <= candidate.topics) {
            candidate.topics = 0;
            for (const TopicColumn& topic : topics) {
                candidate.topics += topic.part_bound(candidate.docid);
            }
            counters.vectors_bounded += topics.size();
        }
        if (!below(candidate.words + candidate.topics, beside.least)) {
            candidates_[kept++] = candidate;
        }
    }
    counters.documents_skipped += candidates_.size() - kept;
    candidates_.resize(kept);
}

}  // namespace braid
