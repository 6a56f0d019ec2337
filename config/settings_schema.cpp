// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/settings_schema.h"

#include <limits>

#include "braid/config/schema.h"

namespace braid::yaml {
namespace {

Type<AnalysisSettings> analysis_type() {
    using Stemming = AnalysisSettings::Stemming;
    return Schema<AnalysisSettings>()
        .key("stemmer", &AnalysisSettings::stemmer, text("a language, or none"),
             "Snowball stemmer that takes words to their stems, by its name in Xapian: english, "
             "german2, french.")
        .key("stemming", &AnalysisSettings::stemming,
             choice<Stemming>(
                 {{"some", Stemming::kSome}, {"all", Stemming::kAll}, {"none", Stemming::kNone}}),
             "What is indexed: some is words and stems, all is stems only (half the terms, but "
             "phrases match stems), none is words only.")
        .key("stop_words", &AnalysisSettings::stop_words, text("none, english, or a file"),
             "Words that are dropped from queries. A file has one word a line; its name is taken "
             "from the folder of the configuration.")
        .key(
            "stop_documents", &AnalysisSettings::stop_documents, boolean(),
            "Drop stop words from documents as well. Phrases that contain them are then lost. Else "
            "documents keep them as written, but not as stems.")
        .key("positions", &AnalysisSettings::positions, boolean(),
             "Keep where each word stands, which phrases and NEAR need. About half of a database.")
        .key("spelling", &AnalysisSettings::spelling, boolean(),
             "Keep how often each word occurs, to suggest spellings from (search.spelling).")
        .key("max_word_length", &AnalysisSettings::max_word_length,
             integer(1U, AnalysisSettings::kMaxWordLength), "Bytes; longer words are dropped.")
        .type();
}

Type<FieldSettings> field_type() {
    using FieldSchema = Schema<FieldSettings>;
    return FieldSchema(FieldSchema::Writing::kChanged)
        .required("name", &FieldSettings::name, text("the name of a field"),
                  "As the reader of the documents calls it, and as queries do (title:word).")
        .key("prefix", &FieldSettings::prefix, text("a prefix of terms, or \"\""),
             "One capital letter, or X and more of them, as Xapian's conventions have it. Without "
             "one the field can't be searched by name.")
        .key("free_text", &FieldSettings::free_text, boolean(),
             "Found by words without a field's name in front.")
        .key("exact", &FieldSettings::exact, boolean(),
             "Each line of the value is one term, to filter by; its words then have no prefix. "
             "Needs "
             "one.")
        .key("weight", &FieldSettings::weight, integer(1U, FieldSettings::kMaxWeight),
             "Free text counts each of its words this often. Needs free_text.")
        .key("slot", &FieldSettings::slot, integer(FieldSettings::kNoSlot, FieldSettings::kMaxSlot),
             "Value slot that holds the whole value, to sort by; -1 for none. Slot 0 holds the "
             "documents' names.")
        .key("numeric", &FieldSettings::numeric, boolean(),
             "The slot sorts as a number. Needs a slot.")
        .type();
}

Type<IndexSettings> index_type() {
    return Schema<IndexSettings>()
        .key("analysis", &IndexSettings::analysis, analysis_type(),
             "How text becomes terms. Kept in the database: whatever searches it or adds to it "
             "later uses the same.")
        .key("fields", &IndexSettings::fields, list(field_type()),
             "The fields of documents that are searched, and how. A field that is not listed is "
             "kept in the document but not searched. A list given here replaces the default one.")
        .key("stored", &IndexSettings::stored, list(text("names of fields")),
             "Fields whose text is kept in the document, for showing results; * keeps all.")
        .key("batch", &IndexSettings::batch,
             integer(std::size_t{1}, std::size_t{IndexSettings::kMaxBatch}),
             "Documents between two commits. A writer that is killed loses at most these.")
        .check([](const IndexSettings& value, const Place&) { validate(value); })
        .type();
}

Type<SearchSettings> search_type() {
    return Schema<SearchSettings>()
        .key("default_operator", &SearchSettings::default_operator, word({"or", "and"}),
             "What joins the words of a query.")
        .key("wildcards", &SearchSettings::wildcards, boolean(),
             "Whether foo* in a query finds every word that begins with foo.")
        .key("spelling", &SearchSettings::spelling, boolean(),
             "Suggest another spelling where nothing was found.")
        .key("snippet_length", &SearchSettings::snippet_length,
             integer(std::size_t{0}, std::size_t{SearchSettings::kMaxSnippetLength}),
             "Characters of text shown with a result; 0 for none.")
        .check([](const SearchSettings& value, const Place&) { validate(value); })
        .type();
}

Type<Settings> make_settings_type() {
    return Schema<Settings>()
        .key("index", &Settings::index, index_type(), "How documents are indexed.")
        .key("search", &Settings::search, search_type(), "How queries are read and results shown.")
        .key("model", &Settings::model, model_type(),
             "Which rankers make the score of a result, and how much each counts.")
        .type();
}

}  // namespace

const Type<Settings>& settings_type() {
    static const Type<Settings> type = make_settings_type();
    return type;
}

std::vector<std::string> all_paths(const std::vector<KeyInfo>& keys) {
    std::vector<std::string> paths;
    for (const KeyInfo& key : keys) {
        paths.push_back(key.path);
        for (std::string& path : all_paths(key.keys)) paths.push_back(std::move(path));
    }
    return paths;
}

}  // namespace braid::yaml
