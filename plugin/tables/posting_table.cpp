// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/posting_table.h"

#include <atomic>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "braid/plugin/database/database_conventions.h"
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

namespace {

// Reading a posting at a random place takes as long as reading so many one after the other, with
// their documents' lengths from memory,
constexpr std::uint64_t kPostingsPerRead = 2;
// and so long without.
constexpr std::uint64_t kReadsPerLength = 3;

// The least size of a posting in a table.
constexpr std::uint64_t kPostingBytes = 8;

// The size of a term's entry without name and table: nodes of containers, and the count.
constexpr std::size_t kEntryBytes = 256;

}  // namespace

class PostingTables::Cache {
  public:
    using Table = std::shared_ptr<const PostingTable>;

    Cache(std::size_t most_bytes, VectorTables::When when) : most_bytes_(most_bytes), when_(when) {}

    std::vector<PostingAccess> find(const Xapian::Database& shard,
                                    std::span<const std::string_view> terms,
                                    const LengthTable* lengths, bool now) {
        std::vector<PostingAccess> found(terms.size());
        const std::optional<ShardState> state = state_of(shard);
        if (!state || most_bytes_ == 0) return found;
        std::vector<std::size_t> wanted;
        {
            const std::lock_guard lock(mutex_);
            Shard* const kept = shard_of(*state);
            if (kept == nullptr) return found;
            wanted.reserve(terms.size());
            // What may throw comes first.
            for (const std::string_view term : terms) {
                weigh(shard, entry_of(*kept, term), lengths != nullptr, now);
            }
            for (std::size_t i = 0; i < terms.size(); ++i) {
                if (look_up(entry_of(*kept, terms[i]), now, found[i])) wanted.push_back(i);
            }
            make_room();
        }
        for (std::size_t made = 0; made < wanted.size(); ++made) {
            const std::string_view term = terms[wanted[made]];
            try {
                found[wanted[made]].table = PostingTable::load(shard, std::string(term), lengths);
            } catch (...) {
                for (; made < wanted.size(); ++made) keep(*state, terms[wanted[made]], nullptr);
                throw;
            }
            keep(*state, term, found[wanted[made]].table);
        }
        return found;
    }

    std::size_t bytes() const {
        const std::lock_guard lock(mutex_);
        return used_;
    }

    std::shared_ptr<PostingTables> another() const {
        return std::make_shared<PostingTables>(most_bytes_, when_);
    }

  private:
    struct Shard;
    struct Entry {
        Shard* shard = nullptr;
        std::string term;
        Table table;  // Nothing where it isn't made.
        bool is_being_made = false;
        bool has_no_room = false;
        std::size_t bytes = 0;
        std::uint64_t worth = 0;  // Reads after which a table is; 0: not looked up yet.
        std::shared_ptr<std::atomic<std::uint64_t>> reads;
    };
    using Entries = std::list<Entry>;
    struct Shard {
        std::uint64_t revision = 0;
        std::unordered_map<std::string_view, Entries::iterator> entries;  // Keys are Entry::term.
    };

    // Nothing for a state that others have left behind: its tables would cost them theirs.
    Shard* shard_of(const ShardState& state) {
        Shard& shard = shards_[state.uuid];
        if (state.revision < shard.revision) return nullptr;
        if (state.revision > shard.revision) {
            while (!shard.entries.empty()) forget(shard.entries.begin()->second);
            shard.revision = state.revision;
        }
        return &shard;
    }

    void forget(Entries::iterator entry) {
        used_ -= entry->bytes;
        entry->shard->entries.erase(entry->term);
        entries_.erase(entry);
    }

    // Terms that were asked for longest ago are forgotten.
    void make_room() {
        while (used_ > most_bytes_) forget(std::prev(entries_.end()));
    }

    Entry& entry_of(Shard& kept, std::string_view term) {
        const auto found = kept.entries.find(term);
        if (found != kept.entries.end()) {
            entries_.splice(entries_.begin(), entries_, found->second);
            return entries_.front();
        }
        Entry entry;
        entry.shard = &kept;
        entry.term = term;
        entry.bytes = kEntryBytes + 2 * term.size();
        entry.reads = std::make_shared<std::atomic<std::uint64_t>>(0);
        used_ += entry.bytes;
        entries_.push_front(std::move(entry));
        kept.entries.emplace(entries_.front().term, entries_.begin());
        return entries_.front();
    }

    bool is_made_at_once() const { return when_ == VectorTables::When::kFirst; }

    // Looks up how often the term is found, once that counts.
    void weigh(const Xapian::Database& shard, Entry& entry, bool has_lengths, bool now) {
        if (entry.worth > 0 || (!now && !is_made_at_once() && *entry.reads == 0)) return;
        const std::uint64_t frequency = shard.get_termfreq(entry.term);
        entry.worth = frequency / kPostingsPerRead + 1;
        if (!has_lengths) entry.worth *= kReadsPerLength;
        entry.has_no_room = frequency * kPostingBytes > most_bytes_;
    }

    // Whether the caller is to make the table.
    bool look_up(Entry& entry, bool now, PostingAccess& access) {
        access = {entry.table, entry.reads};
        if (entry.table != nullptr || entry.is_being_made || entry.has_no_room) return false;
        if (entry.worth == 0) return false;
        entry.is_being_made = now || is_made_at_once() || *entry.reads >= entry.worth;
        return entry.is_being_made;
    }

    // Ends being made, with a table or nothing; unless the shard has changed or the term was
    // forgotten meanwhile.
    void keep(const ShardState& state, std::string_view term, const Table& table) {
        const std::lock_guard lock(mutex_);
        Shard& kept = shards_[state.uuid];
        const auto found = kept.entries.find(term);
        if (kept.revision != state.revision || found == kept.entries.end()) return;
        Entry& entry = *found->second;
        entry.is_being_made = false;
        if (table == nullptr || entry.table != nullptr) return;
        entry.has_no_room = entry.bytes + table->bytes() > most_bytes_;
        if (entry.has_no_room) return;
        entry.table = table;
        entry.bytes += table->bytes();
        used_ += table->bytes();
        entries_.splice(entries_.begin(), entries_, found->second);
        make_room();
    }

    std::size_t most_bytes_;
    VectorTables::When when_;
    mutable std::mutex mutex_;
    std::size_t used_ = 0;
    Entries entries_;                      // Those asked for last come first.
    std::map<std::string, Shard> shards_;  // By UUID.
};

PostingTables::PostingTables(std::size_t most_bytes, VectorTables::When when)
    : cache_(std::make_unique<Cache>(most_bytes, when)) {}
PostingTables::~PostingTables() = default;

std::size_t PostingTables::bytes() const { return cache_->bytes(); }
std::shared_ptr<PostingTables> PostingTables::another() const { return cache_->another(); }

std::vector<PostingAccess> PostingTables::find(const Xapian::Database& shard,
                                               std::span<const std::string_view> terms,
                                               const LengthTable* lengths, bool now) {
    return cache_->find(shard, terms, lengths, now);
}

}  // namespace braid
