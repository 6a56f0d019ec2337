// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that Braid stores: the first byte chooses the format, the rest is the body, which gets
// the beginning and the checksum that lead to the parser behind. What can be read is written and
// read again as the same bytes.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/checksum.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/table_file.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/topic_store.h"

using namespace braid;

namespace {

constexpr char kWhere[] = "fuzz";

void require(bool holds) {
    if (!holds) std::abort();
}

struct Format {
    const char* magic;
    unsigned version;
    unsigned checked_from;
    std::string (*rewrite)(const std::string& bytes);
};

// By way of a database, for what is read and written there alone.
template <typename Load, typename Store>
std::string through_database(const char* key, const std::string& bytes, Load load, Store store) {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    database.set_metadata(key, bytes);
    const auto value = load(database);
    database.set_metadata(key, "");
    store(database, value);
    return database.get_metadata(key);
}

std::string rewrite_catalogue(const std::string& bytes) {
    const std::string again =
        through_database(kTopicCatalogueKey, bytes, load_topic_catalogue, store_topic_catalogue);
    return again.empty() ? bytes : again;  // An empty list has no key.
}

std::string rewrite_place(const std::string& bytes) {
    return through_database(
        kDocumentRecordsKey, bytes,
        [](const Xapian::Database& database) { return *load_document_records(database); },
        store_document_records);
}

std::string rewrite_names(const std::string& bytes) {
    return through_database(
        kDocumentNamesKey, bytes,
        [](const Xapian::Database& database) { return *load_document_names(database); },
        store_document_names);
}

std::string rewrite_stemmers(const std::string& bytes) {
    return through_database(kStemmersKey, bytes, load_stemmers, store_stemmers);
}

// The mark is read for its file alone, of which a database in memory has none.
std::string look_at_mark(const std::string& bytes) {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    database.set_metadata(kTableFileKey, bytes);
    const TableFileState state = look_at_table_file(database);
    require(state.is_damaged ? !state.note.empty() : true);
    return bytes;
}

const std::array<Format, 12> kFormats = {
    {{"BrTH", 2, 2, [](const std::string& b) { return serialise(parse_topic_record(b, kWhere)); }},
     {"BrTW", 2, 2, [](const std::string& b) { return serialise(parse_topic_summary(b, kWhere)); }},
     {"BrTS", 2, 2, [](const std::string& b) { return serialise(parse_topic_use(b, kWhere)); }},
     {"BrTK", 2, 2,
      [](const std::string& b) { return serialise(parse_topic_clusters(b, kWhere)); }},
     {"BrIx", 2, 2,
      [](const std::string& b) { return serialise(parse_index_settings(b, kWhere)); }},
     {"BrFM", 5, 4,
      [](const std::string& b) {
          return fusion_model_to_bytes(fusion_model_from_bytes(b, kWhere));
      }},
     {"BrTC", 2, 2, rewrite_catalogue},
     {"BrDR", 3, 3, rewrite_place},
     {"BrDN", 1, 1, rewrite_names},
     {"BrSt", 1, 1, rewrite_stemmers},
     {"BrMI", 1, 1,
      [](const std::string& b) { return serialise(parse_installed_models(b, kWhere)); }},
     {"BrTM", 1, 1, look_at_mark}}};

// Settings and names have several spellings of one value; what was read once has one.
void check_format(const Format& format, const std::string& bytes) {
    if (bytes.empty()) return;  // Nothing is stored.
    try {
        const std::string again = format.rewrite(bytes);
        require(format.rewrite(again) == again);
    } catch (const FormatError&) {
    }
}

void check_metadata(const Format& format, const std::string& rest) {
    ByteWriter body;
    body.raw(rest);
    // The version's body, in this version and in all that this Braid reads.
    for (unsigned version = 1; version <= format.version; ++version) {
        check_format(format, write_stored({.magic = format.magic,
                                           .version = version,
                                           .kind = "",
                                           .checked_from = format.checked_from},
                                          body));
    }
    check_format(format, rest);
}

std::string with_short_checksum(std::string bytes) {
    const std::uint16_t checksum = short_checksum(bytes);
    bytes += static_cast<char>(checksum & 0xffU);
    return bytes += static_cast<char>(checksum >> 8);
}

void check_record(const std::string& bytes) {
    std::vector<FieldRecord> fields(64);
    const auto record = try_document_record(bytes, fields);
    if (!record) return;
    std::vector<FieldRecord> again(64);
    const auto read = try_document_record(encode_document_record({*record, fields}), again);
    require(read == record && again == fields);
}

void check_vector(const std::string& bytes, std::size_t dimensions) {
    const auto stored = try_open_vector(bytes, dimensions);
    bool opens = true;
    try {
        const StoredVector opened = open_vector(bytes, dimensions, kWhere);
        require(stored.has_value() && opened.codes == stored->codes);
    } catch (const FormatError&) {
        opens = false;
    }
    require(opens == stored.has_value());
    std::vector<float> decoded(dimensions);
    if (stored) decode_vector(*stored, decoded);
    if (stored && stored->info.coding == VectorCoding::kFloat32) {
        // A document's neighbours.
        std::vector<std::int32_t> numbers;
        for (std::size_t i = 0; i < dimensions; ++i) numbers.push_back(number_at(*stored, i));
        const std::string again = encode_numbers(stored->info, numbers);
        const auto read = try_open_vector(again, dimensions);
        require(read.has_value() && read->info == stored->info && read->codes == stored->codes);
    }
    try {
        decode_term_vector(bytes, kWhere, decoded);
        const std::string again = encode_term_vector(decoded);
        decode_term_vector(again, kWhere, decoded);
    } catch (const FormatError&) {
    } catch (const InvalidArgument&) {  // What overflows in binary16.
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t choice = data[0] % (kFormats.size() + 2);
    if (choice < kFormats.size()) {
        check_metadata(kFormats[choice], rest);
    } else if (choice == kFormats.size()) {
        check_record(rest);
        check_record(with_short_checksum(rest));
    } else {
        const std::size_t dimensions = data[0] / (kFormats.size() + 2);
        check_vector(rest, dimensions);
        check_vector(with_short_checksum(rest), dimensions);
        std::string word = with_short_checksum(rest);
        append_checksum(word);
        check_vector(word, dimensions);
    }
    return 0;
}
