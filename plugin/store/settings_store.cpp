// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/settings_store.h"

#include <algorithm>
#include <string>

#include "braid/core/base/bytes.h"
#include "braid/core/base/error.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/core/settings/stop_words.h"
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

namespace {

// A model that no search can rank by would make the database unreadable to searches that name none.
// What one pass can't serve is rescored.
void refuse_what_no_search_serves(const FusionModel& model) {
    require_database_model(model);
    model_function(model);  // Throws for a form that nobody knows, or that lacks something.
}

}  // namespace

std::optional<FusionModel> load_fusion_model(const Xapian::Database& database) {
    const std::string bytes = database.get_metadata(kFusionModelKey);
    if (bytes.empty()) return {};
    const std::string where = std::string("metadata key ") + kFusionModelKey;
    FusionModel model = fusion_model_from_bytes(bytes, where);
    try {
        validate(model);
        model_function(model);
    } catch (const UnknownComponent& error) {  // A newer Braid's, or damage; not the caller's.
        throw FormatError(where + ": " + error.what());
    }
    return model;
}

std::optional<FusionModel> load_fusion_model(const Xapian::Database& database,
                                             const std::vector<Xapian::Database>& sidecars) {
    std::optional<FusionModel> own = load_fusion_model(database);
    return own || sidecars.empty() ? own : load_fusion_model(sidecars.front());
}

void store_fusion_model(Xapian::WritableDatabase& database, const FusionModel& model) {
    validate(model);
    refuse_what_no_search_serves(model);
    database.set_metadata(kFusionModelKey, fusion_model_to_bytes(model));
}

void remove_fusion_model(Xapian::WritableDatabase& database) {
    database.set_metadata(kFusionModelKey, "");
}

}  // namespace braid
