// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/vector_tables.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace braid {
namespace {

// So many values are read one after the other in the time that one at a random place takes.
constexpr std::uint64_t kTableValuesPerRead = 4;

std::optional<std::uint64_t> revision_of(const Xapian::Database& shard) {
    try {
        return shard.get_revision();
    } catch (const Xapian::UnimplementedError&) {
    } catch (const Xapian::InvalidOperationError&) {
    }
    return std::nullopt;
}

}  // namespace

std::shared_ptr<const VectorTable> VectorTable::load(const Xapian::Database& shard,
                                                     Xapian::valueno slot, std::size_t most_bytes) {
    const std::size_t documents = std::size_t{shard.get_lastdocid()} + 1;
    const std::size_t for_ends = documents * sizeof(std::uint32_t);
    if (for_ends >= most_bytes) return nullptr;
    const std::size_t for_values =
        std::min<std::size_t>(most_bytes - for_ends, std::numeric_limits<std::uint32_t>::max());
    const std::shared_ptr<VectorTable> made(new VectorTable);
    std::vector<std::uint32_t>& ends = made->ends_;
    ends.reserve(documents);
    ends.push_back(0);
    const Xapian::ValueIterator end = shard.valuestream_end(slot);
    for (Xapian::ValueIterator value = shard.valuestream_begin(slot); value != end; ++value) {
        const std::string bytes = *value;
        if (made->values_.size() + bytes.size() > for_values) return nullptr;
        ends.resize(value.get_docid(), ends.back());
        made->values_ += bytes;
        ends.push_back(static_cast<std::uint32_t>(made->values_.size()));
    }
    made->values_.shrink_to_fit();
    return made;
}

std::size_t VectorTables::used() const {
    std::size_t used = 0;
    for (const auto& [key, entry] : entries_) used += entry.table ? entry.table->bytes() : 0;
    return used;
}

std::size_t VectorTables::bytes() const {
    const std::lock_guard lock(mutex_);
    return used();
}

VectorAccess VectorTables::access(const Xapian::Database& shard, Xapian::valueno slot) {
    const std::optional<std::uint64_t> revision = revision_of(shard);
    const std::string uuid = shard.get_uuid();
    if (!revision || uuid.empty()) return {};
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = entries_.try_emplace({uuid, slot});
    Entry& entry = found->second;
    if (is_new || entry.revision != *revision) {
        entry = {*revision, false, nullptr, std::make_shared<std::atomic<std::uint64_t>>(0)};
    }
    if (!entry.settled) {
        const bool is_worth_it = when_ == When::kFirst ||
                                 *entry.reads * kTableValuesPerRead >= shard.get_value_freq(slot);
        if (is_worth_it) {
            entry.settled = true;
            const std::size_t taken = used();
            if (taken < most_bytes_) {
                entry.table = VectorTable::load(shard, slot, most_bytes_ - taken);
            }
        }
    }
    return {entry.table, entry.reads};
}

}  // namespace braid
