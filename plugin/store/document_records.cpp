// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/document_records.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "braid/core/base/byte_fields.h"
#include "braid/core/base/checksum.h"
#include "braid/plugin/store/keys.h"

namespace braid {
namespace {

constexpr StoredFormat kRecordsFormat{
    .magic = "BrDR", .version = 3, .kind = "place of records", .checked_from = 3};

// The first byte of a record: a mark in the high half, the version in the low. Versions 1 (without
// fields) and 2 (with) have no checksum.
constexpr unsigned char kFirstMark = 0xD1;
constexpr unsigned char kFirstMarkWithFields = 0xD2;
constexpr unsigned char kMark = 0xD3;

void append_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
    out += static_cast<char>(value);
}

// Takes a varint off the front of `rest`; nothing for one that is cut short, too long, or not in
// its shortest form.
std::optional<std::uint64_t> take_varint(std::string_view& rest) noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63 && !rest.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(rest.front());
        rest.remove_prefix(1);
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if ((byte & 0x80) != 0) continue;
        if (byte == 0 && shift > 0) return std::nullopt;
        return value;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> take_count(std::string_view& rest) noexcept {
    const auto value = take_varint(rest);
    if (!value || *value > 0xffffffffU) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}

void append_float(std::string& out, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (unsigned shift = 0; shift < 32; shift += 8) {
        out += static_cast<char>(bits >> shift & 0xffU);
    }
}

// Nothing but a finite number from 0 on.
std::optional<float> take_float(std::string_view& rest) noexcept {
    if (rest.size() < 4) return std::nullopt;
    std::uint32_t bits = 0;
    for (unsigned i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(rest[i]);
    rest.remove_prefix(4);
    const float value = std::bit_cast<float>(bits);
    if (!std::isfinite(value) || std::signbit(value)) return std::nullopt;
    return value;
}

std::optional<FieldRecord> take_field(std::string_view& rest) noexcept {
    const auto length = take_count(rest);
    if (!length) return std::nullopt;
    if (*length == 0) return FieldRecord{};
    const auto norm = take_float(rest);
    const auto unique = norm ? take_count(rest) : std::nullopt;
    if (!unique) return std::nullopt;
    return FieldRecord{*length, *norm, *unique};
}

// Adds up words of a text.
class RecordCounts {
  public:
    void add(Xapian::termcount occurrences) {
        const double local = 1 + std::log(static_cast<double>(occurrences));
        squares_ += local * local;
        words_ += occurrences;
        ++unique_;
    }
    float norm() const { return static_cast<float>(std::sqrt(squares_)); }
    std::uint32_t words() const {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(words_, 0xffffffffU));
    }
    std::uint32_t unique() const { return unique_; }

  private:
    double squares_ = 0;
    std::uint64_t words_ = 0;
    std::uint32_t unique_ = 0;
};

}  // namespace

FullRecord make_document_record(const Xapian::Document& document, const DocumentRecords& records) {
    RecordCounts of_all;
    std::vector<RecordCounts> of_fields(records.fields.size());
    std::uint64_t length = 0;
    std::uint32_t unique_terms = 0;
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
        ++unique_terms;
        length += term.get_wdf();
        if (term.get_wdf() == 0) continue;
        const std::string text = *term;
        if (!word_of_term(records.form, text).empty()) of_all.add(term.get_wdf());
        for (std::size_t i = 0; i < of_fields.size(); ++i) {
            if (is_word_of_field(records.form, records.fields[i].prefix, text)) {
                of_fields[i].add(term.get_wdf());
            }
        }
    }
    FullRecord record{{length, of_all.norm(), unique_terms, records.fields_tag()}, {}};
    for (const RecordCounts& counts : of_fields) {
        record.fields.push_back({counts.words(), counts.norm(), counts.unique()});
    }
    return record;
}

std::string encode_document_record(const FullRecord& record) {
    std::string bytes(1, static_cast<char>(kMark));
    append_varint(bytes, record.document.length);
    append_float(bytes, record.document.norm);
    append_varint(bytes, record.document.unique_terms);
    bytes += static_cast<char>(record.document.fields_tag);
    for (const FieldRecord& field : record.fields) {
        append_varint(bytes, field.length);
        if (field.length == 0) continue;
        append_float(bytes, field.norm);
        append_varint(bytes, field.unique_terms);
    }
    const std::uint16_t checksum = short_checksum(bytes);
    bytes += static_cast<char>(checksum & 0xffU);
    bytes += static_cast<char>(checksum >> 8);
    return bytes;
}

std::optional<DocumentRecord> try_document_record(std::string_view bytes,
                                                  std::span<FieldRecord> fields) noexcept {
    std::fill(fields.begin(), fields.end(), FieldRecord{});
    if (bytes.empty()) return std::nullopt;
    const auto mark = static_cast<unsigned char>(bytes.front());
    if (mark != kMark && mark != kFirstMark && mark != kFirstMarkWithFields) return std::nullopt;
    if (mark == kMark) {
        if (!has_short_checksum(bytes)) return std::nullopt;
        bytes.remove_suffix(kShortChecksumBytes);
    }
    bytes.remove_prefix(1);
    const auto length = take_varint(bytes);
    const auto norm = length ? take_float(bytes) : std::nullopt;
    const auto unique = norm ? take_count(bytes) : std::nullopt;
    if (!unique) return std::nullopt;
    DocumentRecord record{*length, *norm, *unique, 0};
    if (mark == kFirstMark) return bytes.empty() ? std::optional(record) : std::nullopt;
    if (bytes.size() < (mark == kMark ? 1U : 2U)) return std::nullopt;
    record.fields_tag = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    for (std::size_t i = 0; !bytes.empty(); ++i) {
        const std::optional<FieldRecord> field = take_field(bytes);
        if (!field) {
            std::fill(fields.begin(), fields.end(), FieldRecord{});
            return std::nullopt;
        }
        if (i < fields.size()) fields[i] = *field;
    }
    return record;
}

bool is_marked_record(std::string_view bytes) noexcept {
    const unsigned char mark = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
    return mark >= kFirstMark && mark <= kMark;
}

bool is_record_checked(std::string_view bytes) noexcept {
    return !bytes.empty() && static_cast<unsigned char>(bytes.front()) == kMark;
}

std::uint8_t DocumentRecords::fields_tag() const {
    if (fields.empty()) return 0;
    Fnv1a hash;
    for (const RecordedField& field : fields) {
        hash.add(field.name);
        hash.add({"\0", 1});
        hash.add(field.prefix);
        hash.add({"\0", 1});
    }
    return static_cast<std::uint8_t>(hash.value() % 255 + 1);
}

std::vector<RecordedField> count_fields(const Xapian::Database& database,
                                        const DocumentRecords& records) {
    std::vector<RecordedField> fields = records.fields;
    for (RecordedField& field : fields) {
        field.documents = database.get_doccount();
        field.words = 0;
    }
    if (fields.empty()) return fields;
    const std::uint8_t tag = records.fields_tag();
    std::vector<FieldRecord> found(fields.size());
    const auto end = database.valuestream_end(records.slot);
    for (auto value = database.valuestream_begin(records.slot); value != end; ++value) {
        const auto record = try_document_record(*value, found);
        if (!record || record->fields_tag != tag) continue;
        for (std::size_t i = 0; i < fields.size(); ++i) fields[i].words += found[i].length;
    }
    return fields;
}

namespace {

// Version 1 knew no fields.
template <typename Fields>
void walk(Fields fields, RecordOf<Fields, DocumentRecords>& records, unsigned version) {
    fields.varint("slot", records.slot, 0, 0xfffffffeU);
    fields.choice("word form", records.form, WordForm::kWords);
    if (version < 2) return;
    fields.records("fields", 4, records.fields, [](auto& each, auto& field) {
        each.text("field", field.name);
        each.text("field's prefix", field.prefix);
        each.varint("documents", field.documents);
        each.varint("field's words", field.words);
    });
}

}  // namespace

std::optional<DocumentRecords> load_document_records(const Xapian::Database& database) {
    const std::string bytes = database.get_metadata(kDocumentRecordsKey);
    if (bytes.empty()) return std::nullopt;
    auto [version, in] =
        read_stored(kRecordsFormat, bytes, std::string("metadata key ") + kDocumentRecordsKey);
    DocumentRecords records;
    walk(FieldsReader(in), records, version);
    in.finish();
    return records;
}

void store_document_records(Xapian::WritableDatabase& database, const DocumentRecords& records) {
    ByteWriter body;
    walk(FieldsWriter(body), records, kRecordsFormat.version);
    const std::string bytes = write_stored(kRecordsFormat, body);
    if (database.get_metadata(kDocumentRecordsKey) == bytes) return;
    database.set_metadata(kDocumentRecordsKey, bytes);
}

}  // namespace braid
