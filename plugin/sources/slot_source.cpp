// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/slot_source.h"

#include <limits>

#include <fmt/format.h>

namespace braid {

void SlotSource::begin(const Xapian::Database& shard) {
#if XAPIAN_AT_LEAST(1, 5, 0)
    ValuePostingSource::reset(shard, 0);
#else
    ValuePostingSource::init(shard);
#endif
}

bool SlotSource::look() {
    weight_ = weigh();
    return weight_ > 0;
}

void SlotSource::next(double /*min_weight*/) {
    if (at_end()) return;  // init leaves a source like this if it can match nothing.
    do {
        ValuePostingSource::next(0);
    } while (!at_end() && !look());
}

void SlotSource::skip_to(Xapian::docid docid, double /*min_weight*/) {
    if (at_end()) return;
    ValuePostingSource::skip_to(docid, 0);
    if (!at_end() && !look()) next(0);
}

// Xapian's AND_MAYBE takes a source that answered no for the document before as standing at the
// document behind that, unasked: so there is no "no", only a later position.
bool SlotSource::check(Xapian::docid docid, double min_weight) {
    skip_to(docid, min_weight);
    return true;
}

void check_number(const char* source, const char* name, double value, double minimum,
                  double maximum) {
    if (value >= minimum && value <= maximum) return;
    throw InvalidArgument(
        fmt::format("{}: {} {}, expected {} to {}", source, name, value, minimum, maximum));
}

void check_word(const char* source, const SourceWord& word) {
    if (word.term.empty()) throw InvalidArgument(fmt::format("{}: a word without a term", source));
    check_number(source, "count", word.count, std::numeric_limits<double>::min(), kMostOccurrences);
    check_number(source, "share of the collection", word.collection_share, 1e-30, 1);
}

void write_word(ByteWriter& out, const SourceWord& word) {
    out.text(word.term);
    out.real(word.count);
    out.real(word.collection_share);
}

void read_word(ByteReader& in, SourceWord& word) {
    word.term = in.text("term");
    word.count = in.finite_real("count");
    word.collection_share = in.finite_real("share of the collection");
}

void DocumentSource::begin(const Xapian::Database& shard, const Xapian::Database& holder,
                           Xapian::valueno slot, bool any) {
    documents_most_ = shard.get_doccount();
    position_ = 0;
    weight_ = 0;
    documents_end_ = shard.postlist_end("");
    documents_ = any ? shard.postlist_begin("") : documents_end_;
    ended_ = documents_ == documents_end_;
    values_in_memory_ = any && tables_ ? tables_->vectors(holder, slot) : VectorAccess();
    lengths_in_memory_ = any && tables_ ? tables_->lengths(shard) : LengthAccess();
    values_ = any ? holder.valuestream_begin(slot) : Xapian::ValueIterator();
    values_end_ = any ? holder.valuestream_end(slot) : Xapian::ValueIterator();
}

// To that document or the next one.
void DocumentSource::move_to(Xapian::docid docid) {
    position_ = docid;
    length_ = lengths_in_memory_.table == nullptr ? LengthTable::kUnknown
                                                  : lengths_in_memory_.table->length(docid);
    if (length_ != LengthTable::kUnknown) return;
    documents_.skip_to(docid);
    ended_ = documents_ == documents_end_;
    if (ended_) return;
    position_ = *documents_;
    lengths_in_memory_.count_read();
    length_ = documents_.get_doclength();
}

bool DocumentSource::look() {
    const Xapian::docid docid = position_;
    const Xapian::termcount length = length_;
    if (values_in_memory_.table != nullptr) {
        weight_ = weigh(docid, length, values_in_memory_.table->value(docid));
        return weight_ > 0;
    }
    values_in_memory_.count_read();
    if (values_ != values_end_) values_.skip_to(docid);
    const bool has_value = values_ != values_end_ && values_.get_docid() == docid;
    weight_ = weigh(docid, length, has_value ? *values_ : std::string());
    return weight_ > 0;
}

void DocumentSource::find_match() {
    while (!ended_ && !look()) move_to(position_ + 1);
}

void DocumentSource::next(double /*min_weight*/) {
    if (ended_) return;
    move_to(position_ + 1);
    find_match();
}

void DocumentSource::skip_to(Xapian::docid docid, double /*min_weight*/) {
    if (ended_ || (docid <= position_ && position_ > 0)) return;
    move_to(docid);
    find_match();
}

// No "no": see SlotSource::check.
bool DocumentSource::check(Xapian::docid docid, double min_weight) {
    skip_to(docid, min_weight);
    return true;
}

}  // namespace braid
