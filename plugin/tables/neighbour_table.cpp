// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/neighbour_table.h"

#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "braid/core/topics/neighbours.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/plugin/store/document_values.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {

std::shared_ptr<const NeighbourTable> NeighbourTable::load(const Xapian::Database& shard,
                                                           const TopicSlot& model,
                                                           std::size_t dimensions,
                                                           std::size_t most_bytes) {
    const std::size_t docids = std::size_t{shard.get_lastdocid()} + 1;
    const std::size_t pairs = std::size_t{shard.get_value_freq(model.slot)} * dimensions;
    const std::size_t bytes = docids * (sizeof(std::uint32_t) + 1) +
                              2 * pairs * (sizeof(Xapian::docid) + sizeof(std::uint32_t));
    if (docids > DocumentValues<int>::kMostDocids * (std::size_t{shard.get_doccount()} + 1) ||
        dimensions > kMostNeighbours || bytes > most_bytes) {
        return nullptr;
    }
    const std::shared_ptr<NeighbourTable> made(new NeighbourTable);
    made->counts_.assign(docids, 0);
    made->begins_.assign(docids + 1, 0);
    std::vector<std::pair<Xapian::docid, Xapian::docid>> found;  // Neighbour, document.
    found.reserve(pairs);
    const std::uint8_t tag = topic_model_tag(model.id);
    Xapian::docid before = 0;
    const Xapian::ValueIterator end = shard.valuestream_end(model.slot);
    for (auto value = shard.valuestream_begin(model.slot); value != end; ++value) {
        const Xapian::docid docid = value.get_docid();
        require_ascending(before, docid,
                          [&] { return "value slot " + std::to_string(model.slot); });
        before = docid;
        const std::string encoded = *value;
        const std::optional<StoredVector> stored = try_open_vector(encoded, dimensions);
        if (!stored || stored->info.model_tag != tag ||
            stored->info.coding != VectorCoding::kFloat32 || docid >= docids) {
            continue;
        }
        for (std::size_t i = 0; i < dimensions; ++i) {
            const std::int32_t away = number_at(*stored, i);
            if (away == 0) break;
            ++made->counts_[docid];
            const Xapian::docid neighbour = docid + static_cast<Xapian::docid>(away);
            if (neighbour >= docids) continue;  // Deleted, or none: it has no words.
            found.emplace_back(neighbour, docid);
            ++made->begins_[std::size_t{neighbour} + 1];
        }
    }
    std::partial_sum(made->begins_.begin(), made->begins_.end(), made->begins_.begin());
    made->near_.resize(found.size());
    std::vector<std::uint32_t> places(made->begins_.begin(), made->begins_.end() - 1);
    for (const auto& [neighbour, docid] : found) made->near_[places[neighbour]++] = docid;
    return made;
}

}  // namespace braid
