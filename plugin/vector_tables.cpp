// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/vector_tables.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace braid {
namespace {

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

std::shared_ptr<const VectorTable> VectorTables::table(const Xapian::Database& shard,
                                                       Xapian::valueno slot) {
    const std::optional<std::uint64_t> revision = revision_of(shard);
    const std::string uuid = shard.get_uuid();
    if (!revision || uuid.empty()) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = entries_.try_emplace({uuid, slot});
    if (!is_new && entry->second.revision == *revision) return entry->second.table;
    entry->second = {*revision, nullptr};
    std::size_t used = 0;
    for (const auto& [key, other] : entries_) used += other.table ? other.table->bytes() : 0;
    if (used < most_bytes_) {
        entry->second.table = VectorTable::load(shard, slot, most_bytes_ - used);
    }
    return entry->second.table;
}

}  // namespace braid
