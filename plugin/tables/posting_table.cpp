// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/posting_table.h"

#include "braid/plugin/store/document_values.h"

namespace braid {
namespace {

// Room that is made for what a database says of a list; beyond it grows as the list is read.
constexpr std::size_t kMostReserved = std::size_t{1} << 20;

}  // namespace

std::shared_ptr<const PostingTable> PostingTable::load(const Xapian::Database& shard,
                                                       const std::string& term,
                                                       const LengthTable* lengths) {
    const std::shared_ptr<PostingTable> made(new PostingTable);
    const std::size_t expected = std::min<std::size_t>(shard.get_termfreq(term), kMostReserved);
    made->docids_.reserve((expected / kBlock + 1) * kBlock);
    made->counts_.reserve(expected);
    Xapian::docid before = 0;
    const Xapian::PostingIterator end = shard.postlist_end(term);
    for (auto posting = shard.postlist_begin(term); posting != end; ++posting) {
        const Xapian::docid docid = *posting;
        require_ascending(before, docid, [&] { return "the list of postings of " + term; });
        before = docid;
        const Xapian::termcount known =
            lengths == nullptr ? LengthTable::kUnknown : lengths->length(docid);
        made->add(docid, posting.get_wdf(),
                  known == LengthTable::kUnknown ? posting.get_doclength() : known);
    }
    made->finish();
    return made;
}

void PostingTable::add(Xapian::docid docid, Xapian::termcount occurrences,
                       Xapian::termcount length) {
    const std::size_t place = size();
    docids_.push_back(docid);
    if (occurrences < kLarge >> kLengthBits && length <= kLongest) {
        counts_.push_back(static_cast<std::uint32_t>(occurrences << kLengthBits | length));
    } else {
        counts_.push_back(kLarge);
        large_.push_back({place, occurrences, length});
    }
    Group& group = groups_[this->group(place)];
    group.occurrences_max = std::max(group.occurrences_max, occurrences);
    group.length_min = group.empty ? length : std::min(group.length_min, length);
    group.length_max = std::max(group.length_max, length);
    group.empty = false;
}

void PostingTable::finish() {
    docids_.resize((size() / kBlock + 1) * kBlock, kEnd);
    for (std::size_t i = kBlock; i <= docids_.size(); i += kBlock) lasts_.push_back(docids_[i - 1]);
    docids_.shrink_to_fit();
    counts_.shrink_to_fit();
    large_.shrink_to_fit();
}

const PostingTable::Large& PostingTable::large(std::size_t place) const noexcept {
    return *std::lower_bound(large_.begin(), large_.end(), place,
                             [](const Large& one, std::size_t at) { return one.place < at; });
}

std::size_t PostingTable::bytes() const noexcept {
    return sizeof *this + docids_.capacity() * sizeof(docids_[0]) +
           lasts_.capacity() * sizeof(lasts_[0]) + counts_.capacity() * sizeof(counts_[0]) +
           large_.capacity() * sizeof(Large);
}

}  // namespace braid
