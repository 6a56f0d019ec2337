// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/document_records.h"

#include <bit>
#include <cmath>

#include "braid/core/bytes.h"
#include "braid/plugin/store/keys.h"

namespace braid {
namespace {

constexpr StoredFormat kFormat{.magic = "BrDR", .version = 1, .kind = "place of records"};

// The first byte of a record: a mark in the high half, the version in the low.
constexpr unsigned char kMark = 0xD1;

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

}  // namespace

DocumentRecord make_document_record(const Xapian::Document& document, WordForm form) {
    DocumentRecord record;
    double squares = 0;
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
        ++record.unique_terms;
        record.length += term.get_wdf();
        if (term.get_wdf() == 0 || word_of_term(form, *term).empty()) continue;
        const double local = 1 + std::log(static_cast<double>(term.get_wdf()));
        squares += local * local;
    }
    record.norm = static_cast<float>(std::sqrt(squares));
    return record;
}

std::string encode_document_record(const DocumentRecord& record) {
    std::string bytes(1, static_cast<char>(kMark));
    append_varint(bytes, record.length);
    const auto bits = std::bit_cast<std::uint32_t>(record.norm);
    for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>(bits >> shift & 0xffU);
    }
    append_varint(bytes, record.unique_terms);
    return bytes;
}

std::optional<DocumentRecord> try_document_record(std::string_view bytes) noexcept {
    if (bytes.empty() || static_cast<unsigned char>(bytes.front()) != kMark) return std::nullopt;
    bytes.remove_prefix(1);
    const auto length = take_varint(bytes);
    if (!length || bytes.size() < 4) return std::nullopt;
    std::uint32_t bits = 0;
    for (unsigned i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
    bytes.remove_prefix(4);
    const auto unique = take_varint(bytes);
    const float norm = std::bit_cast<float>(bits);
    if (!unique || *unique > 0xffffffffU || !bytes.empty()) return std::nullopt;
    if (!std::isfinite(norm) || std::signbit(norm)) return std::nullopt;
    return DocumentRecord{*length, norm, static_cast<std::uint32_t>(*unique)};
}

std::optional<DocumentRecords> load_document_records(const Xapian::Database& database) {
    const std::string bytes = database.get_metadata(kDocumentRecordsKey);
    if (bytes.empty()) return std::nullopt;
    auto [version, in] =
        read_stored(kFormat, bytes, std::string("metadata key ") + kDocumentRecordsKey);
    DocumentRecords records;
    records.slot = static_cast<unsigned>(in.varint_in("slot", 0, 0xfffffffeU));
    records.form = in.choice("word form", WordForm::kWords);
    in.finish();
    return records;
}

void store_document_records(Xapian::WritableDatabase& database, const DocumentRecords& records) {
    ByteWriter body;
    body.varint(records.slot);
    body.choice(records.form);
    database.set_metadata(kDocumentRecordsKey, write_stored(kFormat, body));
}

}  // namespace braid
