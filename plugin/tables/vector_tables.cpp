// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/vector_tables.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "braid/plugin/database/database_conventions.h"

namespace braid {
namespace {

// So many values are read one after the other in the time that one at a random place takes.
constexpr std::uint64_t kTableValuesPerRead = 4;
// The same where they are laid out by cluster, too.
constexpr std::uint64_t kTopicValuesPerRead = 2;

// A search by what is mapped takes longer than by a table, since it looks at checksums: by so many
// reads, about.
constexpr std::uint64_t kReadsPerUse = 16;

std::uint64_t reads_worth(std::uint64_t values, std::uint64_t per_read) {
    return (values + per_read - 1) / per_read;
}

}  // namespace

std::shared_ptr<const VectorTable> VectorTable::load(const Xapian::Database& shard,
                                                     Xapian::valueno slot, std::size_t most_bytes) {
    const std::size_t most_values =
        std::min<std::size_t>(most_bytes, std::numeric_limits<std::uint32_t>::max());
    const std::shared_ptr<VectorTable> made(new VectorTable);
    std::string& values = made->values_;
    std::vector<DocumentValues<Place>::Entry> places;
    const Xapian::ValueIterator end = shard.valuestream_end(slot);
    for (Xapian::ValueIterator value = shard.valuestream_begin(slot); value != end; ++value) {
        const std::string bytes = *value;
        if (values.size() + bytes.size() + places.size() * sizeof(Place) > most_values) {
            return nullptr;
        }
        places.push_back({value.get_docid(),
                          {static_cast<std::uint32_t>(values.size()),
                           static_cast<std::uint32_t>(bytes.size())}});
        values += bytes;
    }
    values.shrink_to_fit();
    made->places_ = DocumentValues<Place>(std::move(places));
    return made->bytes() <= most_bytes ? made : nullptr;
}

std::shared_ptr<const LengthTable> LengthTable::map(std::shared_ptr<const TableFile> file) {
    if (file->lengths().size == 0) return nullptr;
    const std::shared_ptr<LengthTable> made(new LengthTable);
    made->file_ = std::move(file);
    return made;
}

bool LengthTable::is_sound() const noexcept {
    if (is_mapped()) std::call_once(looked_, [this] { is_sound_ = file_->lengths().is_sound(); });
    return is_sound_;
}

std::shared_ptr<const LengthTable> LengthTable::load(const Xapian::Database& shard,
                                                     std::size_t most_bytes) {
    using Lengths = DocumentValues<Xapian::termcount>;
    const std::size_t most = most_bytes / sizeof(Xapian::termcount);
    if (shard.get_doccount() > most) return nullptr;
    std::vector<Lengths::Entry> lengths;
    const Xapian::PostingIterator end = shard.postlist_end("");
    for (Xapian::PostingIterator document = shard.postlist_begin(""); document != end; ++document) {
        if (lengths.size() == most) return nullptr;
        lengths.push_back({*document, document.get_doclength()});
    }
    const std::shared_ptr<LengthTable> made(new LengthTable);
    made->lengths_ = Lengths(std::move(lengths), kUnknown);
    return made->bytes() <= most_bytes ? made : nullptr;
}

class VectorTables::Cache {
  public:
    Cache(std::size_t most_bytes, When when) : most_bytes_(most_bytes), when_(when) {}

    // A table of a slot's values, or of a topic model's vectors, laid out for it. Made after
    // `worth` reads, by `load(most_bytes)`; until then, if it `is_enough`, what `map(file)` gives
    // of the shard's file.
    template <typename Table, typename Load, typename Map>
    TableAccess<Table> access(const Xapian::Database& shard, Xapian::valueno slot,
                              const std::string& model, std::uint64_t worth, const Load& load,
                              bool is_enough, const Map& map) {
        const std::optional<ShardState> state = state_of(shard);
        if (!state) return {};
        const std::lock_guard lock(mutex_);
        const auto [found, is_new] = entries_.try_emplace({state->uuid, slot, model});
        Entry& entry = found->second;
        if (is_new || entry.revision != state->revision) {
            entry = {};
            entry.revision = state->revision;
            entry.reads = std::make_shared<std::atomic<std::uint64_t>>(0);
        }
        const bool is_worth_it =
            when_ == When::kFirst || *entry.reads + kReadsPerUse * entry.uses >= worth;
        if (!entry.settled && is_worth_it) {
            const std::size_t taken = used();
            const auto table = taken < most_bytes_ ? load(most_bytes_ - taken) : nullptr;
            entry.settled = true;
            entry.table = table;
            entry.bytes = table == nullptr ? 0 : table->bytes();
        }
        if (entry.table == nullptr && is_enough) {
            const auto mapped = mapped_table<Table>(shard, *state, entry, map);
            if (mapped != nullptr) {
                ++entry.uses;
                return {mapped, entry.reads};
            }
        }
        return {std::static_pointer_cast<const Table>(entry.table), entry.reads};
    }

    // The same for tables that no file has.
    template <typename Table, typename Load>
    TableAccess<Table> access(const Xapian::Database& shard, Xapian::valueno slot,
                              const std::string& model, std::uint64_t worth, const Load& load) {
        return access<Table>(shard, slot, model, worth, load, false,
                             [](const auto&) { return std::shared_ptr<const Table>(); });
    }

    std::shared_ptr<VectorTables> another() const {
        return std::make_shared<VectorTables>(most_bytes_, when_);
    }

    std::size_t bytes() const {
        const std::lock_guard lock(mutex_);
        return used();
    }

  private:
    struct Entry {
        std::uint64_t revision = 0;
        bool is_looked_for = false;          // In the file.
        std::uint64_t uses = 0;              // Searches by what is mapped.
        std::shared_ptr<const void> mapped;  // Nothing where that has none.
        bool settled = false;                // Made, or found to have no room.
        std::shared_ptr<const void> table;   // Nothing where it isn't made.
        std::size_t bytes = 0;
        std::shared_ptr<std::atomic<std::uint64_t>> reads;
    };

    struct File {
        std::uint64_t revision = 0;
        std::shared_ptr<const TableFile> file;  // May be nothing.
    };

    template <typename Table, typename Map>
    std::shared_ptr<const Table> mapped_table(const Xapian::Database& shard,
                                              const ShardState& state, Entry& entry,
                                              const Map& map) {
        if (!std::exchange(entry.is_looked_for, true)) {
            const auto [found, is_new] = files_.try_emplace(state.uuid);
            if (is_new || found->second.revision != state.revision) {
                found->second = {state.revision, TableFile::of(shard, state.uuid, state.revision)};
            }
            const std::shared_ptr<const TableFile>& file = found->second.file;
            if (file != nullptr) entry.mapped = map(file);
        }
        const auto mapped = std::static_pointer_cast<const Table>(entry.mapped);
        if (mapped != nullptr && !mapped->is_whole()) entry.mapped = nullptr;
        return std::static_pointer_cast<const Table>(entry.mapped);
    }

    std::size_t used() const {
        std::size_t used = 0;
        for (const auto& [key, entry] : entries_) used += entry.bytes;
        return used;
    }

    std::size_t most_bytes_;
    When when_;
    mutable std::mutex mutex_;
    std::map<std::string, File> files_;  // By UUID.
    // By UUID, slot and what `access` says of it.
    std::map<std::tuple<std::string, Xapian::valueno, std::string>, Entry> entries_;
};

VectorTables::VectorTables(std::size_t most_bytes, When when)
    : cache_(std::make_unique<Cache>(most_bytes, when)) {}
VectorTables::~VectorTables() = default;

std::size_t VectorTables::bytes() const { return cache_->bytes(); }
std::shared_ptr<VectorTables> VectorTables::another() const { return cache_->another(); }

VectorAccess VectorTables::vectors(const Xapian::Database& shard, Xapian::valueno slot) {
    return cache_->access<VectorTable>(
        shard, slot, "", reads_worth(shard.get_value_freq(slot), kTableValuesPerRead),
        [&](std::size_t most_bytes) { return VectorTable::load(shard, slot, most_bytes); });
}

TopicAccess VectorTables::topics(const Xapian::Database& shard, const TopicSlot& model,
                                 std::size_t dimensions, bool now) {
    return cache_->access<TopicTable>(
        shard, model.slot, model.id,
        now ? 0 : reads_worth(shard.get_value_freq(model.slot), kTopicValuesPerRead),
        [&](std::size_t most_bytes) {
            return TopicTable::load(shard, model, dimensions, most_bytes);
        },
        !now, [&](const auto& file) { return TopicTable::map(file, model, dimensions); });
}

NeighbourAccess VectorTables::neighbours(const Xapian::Database& shard, const TopicSlot& model,
                                         std::size_t dimensions, bool now) {
    return cache_->access<NeighbourTable>(
        shard, model.slot, model.id,
        now ? 0 : reads_worth(shard.get_value_freq(model.slot), kTableValuesPerRead),
        [&](std::size_t most_bytes) {
            return NeighbourTable::load(shard, model, dimensions, most_bytes);
        });
}

LengthAccess VectorTables::lengths(const Xapian::Database& shard, bool now) {
    return cache_->access<LengthTable>(
        shard, Xapian::BAD_VALUENO, "",
        now ? 0 : reads_worth(shard.get_doccount(), kTableValuesPerRead),
        [&](std::size_t most_bytes) { return LengthTable::load(shard, most_bytes); }, true,
        [](const auto& file) { return LengthTable::map(file); });
}

}  // namespace braid
