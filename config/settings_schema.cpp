// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/settings_schema.h"

#include <limits>
#include <utility>

#include "braid/config/schema.h"
#include "braid/core/settings/limits.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/topics/word_vectors.h"

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
             "Words to drop from queries. A file has one word a line; its path starts in the "
             "configuration's folder.")
        .key("stop_documents", &AnalysisSettings::stop_documents, boolean(),
             "Drop stop words from documents, too; phrases that contain them are then lost. "
             "Without this, documents keep them as written, but not as stems.")
        .key("positions", &AnalysisSettings::positions, boolean(),
             "Keep each word's positions, which phrases and NEAR need: about half of a database.")
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
                  "The field's name in documents and in queries (title:word).")
        .key("prefix", &FieldSettings::prefix, text("a prefix of terms, or \"\""),
             "One capital letter, or X and more capitals, by Xapian's conventions. Without a "
             "prefix the field can't be searched by name.")
        .key("free_text", &FieldSettings::free_text, boolean(),
             "Queries without a field's name search it, too.")
        .key("exact", &FieldSettings::exact, boolean(),
             "Each line of the value is one term, to filter by; its words then have no prefix. "
             "Needs "
             "one.")
        .key("weight", &FieldSettings::weight, integer(1U, FieldSettings::kMaxWeight),
             "How often each of its words counts in free text. Needs free_text.")
        .key("slot", &FieldSettings::slot, integer(FieldSettings::kNoSlot, FieldSettings::kMaxSlot),
             "Value slot that holds the whole value, to sort by; -1 for none. Slot 0 holds the "
             "documents' names.")
        .key("numeric", &FieldSettings::numeric, boolean(),
             "The slot holds numbers and sorts by them. Needs a slot.")
        .type();
}

Type<IndexSettings> index_type() {
    return Schema<IndexSettings>()
        .key(
            "analysis", &IndexSettings::analysis, analysis_type(),
            "How text becomes terms. The database keeps this; later searches and additions use it.")
        .key("fields", &IndexSettings::fields, list(field_type()),
             "Fields that are searched, and how. Other fields are kept in the document but not "
             "searched. A list given here replaces the default one.")
        .key("stored", &IndexSettings::stored, list(text("names of fields")),
             "Fields whose text is kept in the document, for showing results; * keeps all.")
        .key("batch", &IndexSettings::batch,
             integer(std::size_t{1}, std::size_t{IndexSettings::kMaxBatch}),
             "Documents per commit. A killed writer loses at most these.")
        .check([](const IndexSettings& value, const Place&) { validate(value); })
        .type();
}

Type<SearchSettings> search_type() {
    return Schema<SearchSettings>()
        .key("default_operator", &SearchSettings::default_operator, word({"or", "and"}),
             "What joins the words of a query.")
        .key("wildcards", &SearchSettings::wildcards, boolean(),
             "Let foo* in a query find every word that begins with foo.")
        .key("spelling", &SearchSettings::spelling, boolean(),
             "Suggest another spelling if a search finds nothing.")
        .key("candidates", &SearchSettings::candidates,
             choice<std::optional<Candidates>>({{"model", std::nullopt},
                                                {"words", Candidates::kWords},
                                                {"all", Candidates::kAll},
                                                {"hybrid", Candidates::kHybrid}}),
             "Which documents a query finds if topics rank it. words: documents that match its "
             "words; all: documents with similar topics, too; hybrid: the results of all, found "
             "through clusters; model: as the model says.")
        .key("clusters_visited", &SearchSettings::clusters_visited,
             integer(std::size_t{0}, SearchSettings::kMaxClustersVisited),
             "With candidates hybrid: search only this many clusters; 0 is exact.")
        .key("snippet_length", &SearchSettings::snippet_length,
             integer(std::size_t{0}, std::size_t{SearchSettings::kMaxSnippetLength}),
             "Characters of text shown with a result; 0 shows none.")
        .check([](const SearchSettings& value, const Place&) { validate(value); })
        .type();
}

// 0 is written `auto`.
template <typename T>
Type<T> number_or_auto(T maximum) {
    Type<T> type = integer(T{1}, maximum);
    type.values = "auto, or " + type.values;
    type.read = [maximum, values = type.values](const Place& place) {
        if (place.node().kind == Node::Kind::kScalar && place.node().text == "auto") return T{0};
        std::uint64_t value = 0;
        if (!parse_integer(place.node(), value) || value < 1 || value > maximum) {
            place.fail(values);
        }
        return static_cast<T>(value);
    };
    type.write = [](const T& value) {
        return Node::scalar(value == 0 ? "auto" : std::to_string(value), true);
    };
    return type;
}

Type<TopicSettings> topic_type() {
    using TopicSchema = Schema<TopicSettings>;
    using Coding = TopicSettings::Coding;
    using Words = TopicSettings::Words;
    std::vector<std::string> kinds = topic_models().names();
    kinds.emplace_back(kWordVectorsModel);
    kinds.emplace_back(kNeighboursModel);
    return TopicSchema(TopicSchema::Writing::kChanged)
        .required("model", &TopicSettings::model, word(kinds),
                  "The kind of model; neighbours: of each document, by the vectors of lsa; "
                  "word-vectors: of the file that braid adopt --word-vectors names.")
        .key("name", &TopicSettings::name, text("a name, or \"\""),
             "What rankers call it; \"\" is the kind of model.")
        .key("dimensions", &TopicSettings::dimensions,
             number_or_auto(std::size_t{TopicSettings::kMaxDimensions}),
             "Topics, dimensions of the space, or neighbours. auto tries several and takes the one "
             "that says "
             "most of words held out.")
        .key("seed", &TopicSettings::seed,
             integer(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()),
             "Seed of its random numbers.")
        .key("parameters", &TopicSettings::parameters,
             dictionary("a map of the model's parameters to numbers", number()),
             "Parameters; others keep the model's defaults.")
        .key("choices", &TopicSettings::choices,
             dictionary("a map of the model's choices to words", text()),
             "Such as lsa's weighting.")
        .key("coding", &TopicSettings::coding,
             choice<Coding>(
                 {{"u8", Coding::k8Bit}, {"f16", Coding::kFloat16}, {"f32", Coding::kFloat32}}),
             "Of the documents' vectors: 1, 2 or 4 bytes a dimension.")
        .key("words", &TopicSettings::words,
             choice<Words>(
                 {{"auto", Words::kAutomatic}, {"stems", Words::kStems}, {"words", Words::kWords}}),
             "Which terms are words: auto is stems (prefix Z) where the database has any.")
        .key("min_documents", &TopicSettings::min_documents,
             number_or_auto(std::numeric_limits<std::uint32_t>::max()),
             "Leave out words of fewer documents than this; auto is 2, and 5 beyond 10,000 "
             "documents.")
        .key("max_document_share", &TopicSettings::max_document_share, number(0),
             "Leave out words that a larger share of the documents has.")
        .key("max_terms", &TopicSettings::max_terms,
             integer(std::size_t{0}, std::size_t{100'000'000}),
             "Keep this many words, those with the most documents; 0 keeps all.")
        .key("clusters", &TopicSettings::clusters,
             integer(std::size_t{0}, std::size_t{TopicSettings::kMaxClusters}),
             "Number of clusters; each document gets a boolean term for its cluster; 0 makes none.")
        .type();
}

void check_training(const TrainingSettings& training) {
    if (!training.qrels.empty() && !training.clicks.empty()) {
        throw InvalidSetting("clicks", "found clicks and qrels, expected one of them");
    }
    if (training.folds == 1) {
        throw InvalidSetting(
            "folds", "found 1, expected 0, or 2 and more: one fold leaves nothing to learn from");
    }
    if (!training.learner.empty()) return;
    for (const auto& [key, is_empty] : {std::pair("options", training.options.empty()),
                                        std::pair("tune", training.tune.empty())}) {
        if (!is_empty) throw InvalidSetting(key, "found settings of a learner, and no learner");
    }
}

Type<Limits> limits_type() {
    Schema<Limits> schema;
    for (const LimitInfo& info : limit_infos()) {
        schema.key(info.name, info.value, integer(info.minimum, info.maximum), info.summary);
    }
    return schema.type();
}

Type<TrainingSettings> training_type() {
    return Schema<TrainingSettings>()
        .key("queries", &TrainingSettings::queries, text("a file, or \"\""),
             "File of queries to learn from (--queries); its path starts in the folder of the "
             "configuration.")
        .key("qrels", &TrainingSettings::qrels, text("a file, or \"\""),
             "File of judgements (--qrels), found likewise.")
        .key("clicks", &TrainingSettings::clicks, text("a file, or \"\""),
             "File of clicks instead of judgements (--clicks), found likewise.")
        .key("learner", &TrainingSettings::learner, text("a learner, or \"\""),
             "The learner (--learner); \"\" is the command's default.")
        .key("options", &TrainingSettings::options,
             dictionary("a map of the learner's parameters and choices", text()),
             "Parameters of the learner (-p); others keep their defaults. Needs a learner.")
        .key("tune", &TrainingSettings::tune,
             dictionary("a map of the learner's parameters to lists of values",
                        list(text(), "values")),
             "Values to try (--tune). Needs a learner.")
        .key("measure", &TrainingSettings::measure, text("a measure"),
             "The measure that is optimised and shown first (--measure).")
        .key("folds", &TrainingSettings::folds,
             integer(std::size_t{0}, TrainingSettings::kMaxFolds),
             "Number of folds that measure the result (--folds); 0 makes none.")
        .check([](const TrainingSettings& value, const Place&) { check_training(value); })
        .type();
}

void check_topics(const std::vector<TopicSettings>& topics) {
    try {
        validate(topics);
    } catch (const InvalidSetting& error) {
        throw InvalidSetting("topics" + error.path(), error.problem());
    } catch (const UnknownComponent& error) {
        throw InvalidSetting("topics", error.what());
    }
}

Type<Settings> make_settings_type() {
    return Schema<Settings>()
        .key("index", &Settings::index, index_type(), "How documents are indexed.")
        .key("search", &Settings::search, search_type(), "How queries are read and results shown.")
        .key("limits", &Settings::limits, limits_type(),
             "Limits on one input; larger ones are refused.")
        .key("topics", &Settings::topics, list(topic_type()),
             "Topic models that `braid index` and `braid adopt` learn. A list given here replaces "
             "the default one.")
        .key("model", &Settings::model, model_type(), "The fusion model: rankers and weights.")
        .key("training", &Settings::training, training_type(),
             "What `braid train` learns from, and how; its options take precedence. Other commands "
             "ignore this.")
        .check([](const Settings& value, const Place&) { check_topics(value.topics); })
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
