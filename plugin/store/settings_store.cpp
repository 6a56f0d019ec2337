// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/settings_store.h"

#include <algorithm>
#include <string>

#include "braid/core/base/byte_fields.h"
#include "braid/core/base/checksum.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/core/settings/stop_words.h"
#include "braid/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/keys.h"

namespace braid {
namespace {

constexpr StoredFormat kSettingsFormat{
    .magic = "BrIx", .version = 2, .kind = "index settings", .checked_from = 2};

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, AnalysisSettings>& analysis) {
    fields.text("stemmer", analysis.stemmer);
    fields.choice("stemming", analysis.stemming, AnalysisSettings::Stemming::kNone);
    fields.text("stop_words", analysis.stop_words);
    fields.texts("stop_list", analysis.stop_list);
    fields.flag("stop_documents", analysis.stop_documents);
    fields.flag("positions", analysis.positions);
    fields.flag("spelling", analysis.spelling);
    fields.varint("max_word_length", analysis.max_word_length, 1, AnalysisSettings::kMaxWordLength);
}

std::string why_no_slot(std::int64_t slot) {
    return slot < -1 || slot > FieldSettings::kMaxSlot ? "found " + std::to_string(slot) : "";
}

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, IndexSettings>& settings) {
    walk(fields, settings.analysis);
    constexpr std::size_t kSmallestField = 7;
    fields.records("fields", kSmallestField, settings.fields, [](auto& each, auto& field) {
        each.text("field.name", field.name);
        each.text("field.prefix", field.prefix);
        each.flag("field.free_text", field.free_text);
        each.flag("field.exact", field.exact);
        each.varint("field.weight", field.weight, 1, FieldSettings::kMaxWeight);
        each.signed_varint("field.slot", field.slot, why_no_slot);
        each.flag("field.numeric", field.numeric);
    });
    fields.texts("stored", settings.stored);
}

}  // namespace

std::string serialise(const IndexSettings& settings) {
    IndexSettings resolved = settings;
    AnalysisSettings& analysis = resolved.analysis;
    resolve_stop_words(analysis);
    if (analysis.stop_list.empty()) analysis.stop_words = "none";  // an empty file, for one
    ByteWriter body;
    walk(FieldsWriter(body), resolved);
    return write_stored(kSettingsFormat, body);
}

IndexSettings parse_index_settings(std::string_view bytes, const std::string& where) {
    StoredBody stored = read_stored(kSettingsFormat, bytes, where);
    IndexSettings settings;
    walk(FieldsReader(stored.body), settings);
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

constexpr StoredFormat kStemmersFormat{.magic = "BrSt", .version = 1, .kind = "stemmers"};

// Beginnings and endings of words in the alphabets that Xapian's stemmers know, each with each:
// most are no words, and stemmers go by endings.
constexpr std::string_view kBeginnings[] = {
    "water",   "hop",    "stand", "geolog", "gener", "skid", "lay",    "early", "even",
    "univers", "schön",  "haeus", "fühl",   "haus",  "größ", "maison", "libr",  "camin",
    "parl",    "bok",    "käyt",  "könyv",  "göz",   "namų", "книг",   "дом",   "красн",
    "λογ",     "άνθρωπ", "كتاب",  "दोस्त",   "գիրք",  "புத்தக"};
constexpr std::string_view kEndings[] = {
    "",     "s",       "es",      "'s",     "ed",    "eed", "ing",   "ings",  "ingly", "edly",
    "ly",   "eth",     "ily",     "li",     "er",    "ers", "est",   "ness",  "ation", "ational",
    "izer", "ization", "ist",     "ists",   "ogist", "ogy", "ies",   "y",     "yed",   "able",
    "ible", "ful",     "less",    "al",     "ally",  "ic",  "ive",   "ous",   "ment",  "ments",
    "ance", "ency",    "e",       "en",     "ern",   "em",  "et",    "st",    "ung",   "ungen",
    "heit", "keit",    "lich",    "isch",   "nisse", "in",  "innen", "eur",   "euse",  "aux",
    "ción", "mente",   "ando",    "idade",  "zione", "ões", "ament", "heden", "erna",  "else",
    "ista", "ssa",     "nak",     "ban",    "lar",   "ler", "ından", "ais",   "ов",    "ами",
    "ого",  "ение",    "ость",    "ы",      "ать",   "ος",  "ων",    "ους",   "ات",    "ون",
    "ों",    "ների",    "ություն", "eachta", "eanna", "óir", "हरू",    "ले",     "लाई",   "கள்"};

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, std::vector<StemmerMark>>& marks) {
    constexpr std::size_t kSmallestMark = 3;
    fields.records("stemmers", kSmallestMark, marks, [](auto& each, auto& mark) {
        each.text("stemmer", mark.stemmer);
        each.varint("stems", mark.stems);
        each.text("xapian", mark.xapian);
    });
}

std::string sentence(const StemmerMark& mark) {
    return "the stemmer '" + mark.stemmer + "' of Xapian " + mark.xapian +
           ", which made the database's words, makes other stems than that of Xapian " +
           Xapian::version_string() +
           " here, so that some words are not found: index the documents anew (`braid index "
           "--rebuild`, or the program that wrote the database), then `braid adopt` its topics";
}

}  // namespace

StemmerMark stemmer_mark(const std::string& stemmer) {
    const Xapian::Stem stem = make_stemmer({.stemmer = stemmer});
    Fnv1a stems;
    for (const std::string_view beginning : kBeginnings) {
        for (const std::string_view ending : kEndings) {
            stems.add(stem(std::string(beginning).append(ending)));
            stems.add(" ");
        }
    }
    return {stemmer, stems.value(), Xapian::version_string()};
}

void store_stemmers(Xapian::WritableDatabase& database, const std::vector<StemmerMark>& marks) {
    ByteWriter body;
    walk(FieldsWriter(body), marks);
    database.set_metadata(kStemmersKey, write_stored(kStemmersFormat, body));
}

void store_stemmer(Xapian::WritableDatabase& database, const std::string& stemmer) {
    if (stemmer.empty() || stemmer == "none") return;
    std::vector<StemmerMark> marks;
    try {
        marks = load_stemmers(database);
    } catch (const NewerFormat&) {
        return;
    } catch (const FormatError&) {  // Damaged, and made anew.
    }
    const auto same = [&](const StemmerMark& mark) { return mark.stemmer == stemmer; };
    if (std::any_of(marks.begin(), marks.end(), same)) return;
    marks.push_back(stemmer_mark(stemmer));
    store_stemmers(database, marks);
}

std::vector<StemmerMark> load_stemmers(const Xapian::Database& database) {
    const std::string bytes = database.get_metadata(kStemmersKey);
    if (bytes.empty()) return {};
    StoredBody stored =
        read_stored(kStemmersFormat, bytes, std::string("metadata key ") + kStemmersKey);
    std::vector<StemmerMark> marks;
    walk(FieldsReader(stored.body), marks);
    stored.body.finish();
    return marks;
}

std::vector<std::string> changed_stemmers(const Xapian::Database& database) {
    std::vector<StemmerMark> marks;
    try {
        marks = load_stemmers(database);
    } catch (const FormatError& error) {
        return {error.what()};
    }
    std::vector<std::string> sentences;
    for (const StemmerMark& mark : marks) {
        if (mark.xapian == Xapian::version_string()) continue;
        try {
            if (stemmer_mark(mark.stemmer).stems != mark.stems) sentences.push_back(sentence(mark));
        } catch (const UnknownComponent&) {
            sentences.push_back(sentence(mark));
        }
    }
    return sentences;
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

namespace {

constexpr StoredFormat kInstalledFormat{
    .magic = "BrMI", .version = 1, .kind = "list of installed models", .checked_from = 1};

// All but the model.
template <typename Fields>
void walk(Fields fields, RecordOf<Fields, InstalledModel>& one) {
    fields.varint("time", one.time);
    fields.text("by", one.by);
    fields.text("note", one.note);
    fields.text("measure", one.measure);
    fields.varint("queries", one.queries);
    constexpr std::size_t kSmallestFigure = 17;
    fields.records("figures", kSmallestFigure, one.figures, [](auto& each, auto& figure) {
        each.text("figure.name", figure.name);
        each.real("figure.mean", figure.mean);
        each.real("figure.p", figure.p);
    });
}

}  // namespace

bool is_same_ranking(const FusionModel& one, const FusionModel& other) {
    return one.rankers == other.rankers && one.normaliser == other.normaliser &&
           one.function == other.function && one.candidates == other.candidates;
}

std::string serialise(const std::vector<InstalledModel>& models) {
    ByteWriter body;
    body.varint(models.size());
    for (const InstalledModel& one : models) {
        walk(FieldsWriter(body), one);
        body.text(fusion_model_to_bytes(one.model));
    }
    return write_stored(kInstalledFormat, body);
}

std::vector<InstalledModel> parse_installed_models(std::string_view bytes,
                                                   const std::string& where) {
    StoredBody stored = read_stored(kInstalledFormat, bytes, where);
    ByteReader& in = stored.body;
    constexpr std::size_t kSmallestModel = 7;
    std::vector<InstalledModel> models(in.count("models", kSmallestModel));
    for (InstalledModel& one : models) {
        walk(FieldsReader(in), one);
        one.model = fusion_model_from_bytes(in.text("model"), where + ": model");
    }
    in.finish();
    return models;
}

InstalledModels load_installed_models(const Xapian::Database& database) {
    InstalledModels installed;
    const std::string bytes = database.get_metadata(kInstalledModelsKey);
    if (!bytes.empty()) {
        installed.list =
            parse_installed_models(bytes, std::string("metadata key ") + kInstalledModelsKey);
    }
    std::optional<FusionModel> now = load_fusion_model(database);
    if (!now) return installed;
    installed.ranks = true;
    // A retrain binds it to new topic models; a Braid without this list may have replaced it.
    if (installed.list.empty() || !is_same_ranking(installed.list.back().model, *now)) {
        installed.list.push_back({.note = "not in the list of installations"});
    }
    installed.list.back().model = std::move(*now);
    return installed;
}

void store_installed_models(Xapian::WritableDatabase& database,
                            std::vector<InstalledModel> models) {
    if (models.size() > kMostInstalled) {
        models.erase(models.begin(), models.end() - kMostInstalled);
    }
    database.set_metadata(kInstalledModelsKey, models.empty() ? "" : serialise(models));
}

}  // namespace braid
