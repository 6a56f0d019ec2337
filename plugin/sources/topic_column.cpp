// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/topic_column.h"

#include <optional>
#include <utility>

#include "braid/core/base/vector_sums.h"

namespace braid {

TopicColumn::TopicColumn(std::shared_ptr<const QueryVector> query, std::uint8_t tag, double weight,
                         TopicAccess access, const Xapian::Database& holder, Xapian::valueno slot,
                         FusedCounters& counters)
    : query_(std::move(query)),
      tag_(tag),
      weight_(weight),
      bound_(kBoundRounding * weight),
      holder_(holder),
      slot_(slot),
      counters_(&counters) {
    access_.reads = access.reads;
    use(std::move(access.table));
}

void TopicColumn::use(std::shared_ptr<const TopicTable> table) {
    if (access_.table != nullptr) counters_->damaged -= access_.table->damaged();
    access_.table = std::move(table);
    if (access_.table != nullptr) counters_->damaged += access_.table->damaged();
}

double TopicColumn::row_part(std::uint32_t row) const {
    ++counters_->vectors_in_memory;
    return weight_ * similarity(table()->vector(row));
}

double TopicColumn::part(Xapian::docid docid) {
    if (table() != nullptr) {
        const std::uint32_t row = table()->row(docid);
        if (row == TopicTable::kNoRow) return 0;
        if (table()->is_sound(row)) return row_part(row);
    }
    const std::string_view value = read_value(docid);
    const std::optional<StoredVector> stored = try_open_vector(value, query_->dimensions());
    if (!stored && !value.empty()) ++counters_->damaged;
    if (!stored || stored->info.model_tag != tag_) return 0;
    return weight_ * similarity(*stored);
}

double TopicColumn::similarity(const StoredVector& stored) const {
    ++counters_->vectors_decoded;
    const double cosine = query_->dot(stored);
    return cosine > 0 ? std::min(cosine, 1.0) : 0;
}

std::string_view TopicColumn::read_value(Xapian::docid docid) {
    access_.count_read();
    if (!std::exchange(reads_values_, true)) values_ = holder_.valuestream_begin(slot_);
    const Xapian::ValueIterator end;
    if (values_ == end || !values_.check(docid)) return {};
    if (values_ == end || values_.get_docid() != docid) return {};
    buffer_ = *values_;
    return buffer_;
}

}  // namespace braid
