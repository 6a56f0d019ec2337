// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/index_settings_store.h"

#include "braid/core/analysis/stop_words.h"
#include "braid/core/byte_lists.h"
#include "braid/core/bytes.h"
#include "braid/core/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/keys.h"

namespace braid {
namespace {

constexpr StoredFormat kFormat{
    .magic = "BrIx", .version = 2, .kind = "index settings", .checked_from = 2};

void write(ByteWriter& out, const AnalysisSettings& analysis) {
    out.text(analysis.stemmer);
    out.choice(analysis.stemming);
    out.text(analysis.stop_words);
    write_texts(out, analysis.stop_list);
    out.flag(analysis.stop_documents);
    out.flag(analysis.positions);
    out.flag(analysis.spelling);
    out.varint(analysis.max_word_length);
}

AnalysisSettings read_analysis(ByteReader& in) {
    AnalysisSettings analysis;
    analysis.stemmer = in.text("stemmer");
    analysis.stemming = in.choice("stemming", AnalysisSettings::Stemming::kNone);
    analysis.stop_words = in.text("stop_words");
    analysis.stop_list = read_texts(in, "stop_list");
    analysis.stop_documents = in.flag("stop_documents");
    analysis.positions = in.flag("positions");
    analysis.spelling = in.flag("spelling");
    analysis.max_word_length =
        static_cast<unsigned>(in.varint_in("max_word_length", 1, AnalysisSettings::kMaxWordLength));
    return analysis;
}

void write(ByteWriter& out, const FieldSettings& field) {
    out.text(field.name);
    out.text(field.prefix);
    out.flag(field.free_text);
    out.flag(field.exact);
    out.varint(field.weight);
    out.signed_varint(field.slot);
    out.flag(field.numeric);
}

FieldSettings read_field(ByteReader& in) {
    FieldSettings field;
    field.name = in.text("field.name");
    field.prefix = in.text("field.prefix");
    field.free_text = in.flag("field.free_text");
    field.exact = in.flag("field.exact");
    field.weight =
        static_cast<unsigned>(in.varint_in("field.weight", 1, FieldSettings::kMaxWeight));
    const std::int64_t slot = in.signed_varint("field.slot");
    if (slot < -1 || slot > FieldSettings::kMaxSlot)
        in.fail("field.slot", "found " + std::to_string(slot));
    field.slot = static_cast<int>(slot);
    field.numeric = in.flag("field.numeric");
    return field;
}

}  // namespace

std::string serialise(const IndexSettings& settings) {
    AnalysisSettings analysis = settings.analysis;
    resolve_stop_words(analysis);
    if (analysis.stop_list.empty()) analysis.stop_words = "none";  // an empty file, for one
    ByteWriter body;
    write(body, analysis);
    body.varint(settings.fields.size());
    for (const FieldSettings& field : settings.fields) write(body, field);
    write_texts(body, settings.stored);
    return write_stored(kFormat, body);
}

IndexSettings parse_index_settings(std::string_view bytes, const std::string& where) {
    StoredBody stored = read_stored(kFormat, bytes, where);
    IndexSettings settings;
    settings.analysis = read_analysis(stored.body);
    constexpr std::size_t kSmallestField = 7;
    settings.fields.resize(stored.body.count("fields", kSmallestField));
    for (FieldSettings& field : settings.fields) field = read_field(stored.body);
    settings.stored = read_texts(stored.body, "stored");
    stored.body.finish();
    try {
        validate(settings);
        make_stemmer(settings.analysis);
    } catch (const InvalidArgument& error) {
        throw FormatError({where, 0}, error.what());
    } catch (const UnknownComponent& error) {
        throw FormatError({where, 0}, error.what());
    }
    return settings;
}

void store_index_settings(Xapian::WritableDatabase& database, const IndexSettings& settings) {
    validate(settings);
    database.set_metadata(kIndexSettingsKey, serialise(settings));
}

std::optional<IndexSettings> load_index_settings(const Xapian::Database& database) {
    const std::string bytes = database.get_metadata(kIndexSettingsKey);
    if (bytes.empty()) return std::nullopt;
    return parse_index_settings(bytes, std::string("metadata key ") + kIndexSettingsKey);
}

}  // namespace braid
