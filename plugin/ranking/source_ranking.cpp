// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/source_ranking.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/model/model_rankers.h"
#include "braid/core/settings/stop_words.h"
#include "braid/error.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/ranking/document_parts.h"
#include "braid/plugin/ranking/feedback.h"
#include "braid/plugin/ranking/pool_postings.h"
#include "braid/plugin/sources/lbdm_source.h"
#include "braid/plugin/sources/neighbour_source.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {

// What SourceRanking tells of a query, apart from any ranking.

// Rankers of one topic model, and weights that follow from it, fold a query in once.
const std::vector<float>& SourceRanking::fold(Opened& opened, const WordCounts& words) {
    if (opened.vector.empty() || opened.words != words) {
        opened.vector = opened.model.fold(words).vector;
        opened.words = words;
    }
    return opened.vector;
}

QueryTopics SourceRanking::topics_of(const std::string& name,
                                     const std::map<std::string, double>& terms) {
    const auto spec =
        std::find_if(model_.rankers.begin(), model_.rankers.end(), [&](const RankerSpec& ranker) {
            return topic_model_of(ranker) == name && has_word_vectors(family_of(ranker));
        });
    if (spec == model_.rankers.end()) {
        throw InvalidArgument(fmt::format("no ranker uses the topic model '{}'", name));
    }
    Opened& opened = open(*spec);
    const WordCounts words = query_words(terms, opened.model.record(), opened.stemmer);
    QueryTopics topics{.vector = fold(opened, words)};
    double known = 0;
    for (const auto& [word, count] : words) {
        known += opened.model.term_vector(word) == nullptr ? 0 : 1;
    }
    // As SourcePart::known has it.
    const auto all = static_cast<double>(words.size());
    if (known > 0) topics.known = 1 - (all - known) / all;
    return topics;
}

namespace {

using Query = Xapian::Query;

Xapian::Stem stemmer_of(const TopicRecord& record) {
    return make_stemmer({.stemmer = record.stemmer.empty() ? "none" : record.stemmer});
}

std::string language(const Xapian::Stem& stemmer) {
    return stemmer.is_none() ? "none" : stemmer.get_description();
}

void check_identity(const ModelProvenance& provenance, const TopicModelIdentity& identity) {
    for (const TopicModelIdentity& wanted : provenance.topic_models) {
        if (wanted.name != identity.name || wanted.id == identity.id) continue;
        throw ModelMismatch(
            fmt::format("the fusion model was learned with the topic model {} of id {}, but the "
                        "database has {} of id {}; train the fusion model again",
                        wanted.name, wanted.id, identity.name, identity.id));
    }
}

void check_record(const RankerSpec& spec, const TopicRecord& record, const Xapian::Stem& trained,
                  const Xapian::Stem& queries) {
    const std::string& kind = model_rankers().find(spec.ranker).topic_model;
    if (record.header.model != kind) {
        throw ModelMismatch(fmt::format(
            "ranker {}: the database's topic model {} is of the kind {}, but {} needs {}",
            spec.label(), record.name, record.header.model, spec.ranker, kind));
    }
    if (language(trained) != language(queries)) {
        throw ModelMismatch(fmt::format(
            "ranker {}: the topic model {} was trained on words stemmed by {}, but queries are "
            "stemmed by {}",
            spec.label(), record.name, language(trained), language(queries)));
    }
}

// Found twice, so that what tells the document's length is not the source.
Query with_lengths(const Query& source) {
    const Query all{std::string()};
    const Query found(Query::OP_AND_NOT, all, Query(Query::OP_AND_NOT, all, source));
    return {Query::OP_AND_MAYBE, found, source};
}

std::vector<double> parameters_of(const RankerSpec& spec) {
    return resolve_parameters(spec.ranker, model_rankers().find(spec.ranker).parameters,
                              spec.parameters);
}

// `query` with the sources of the parts beside for which `holds`, which find no documents.
template <typename Condition>
Query with_beside(const Query& query, const std::vector<SourcePart>& parts,
                  const Condition& holds) {
    Query joined = query;
    for (const SourcePart& part : parts) {
        if (holds(part)) joined = Query(Query::OP_AND_MAYBE, joined, part.source);
    }
    return joined;
}

std::string note_of_limit(const std::shared_ptr<TimeLimit>& limit) {
    return limit != nullptr && limit->stopped() ? " (the time limit stopped the first pass)" : "";
}

// Works a source of similarities into a part.
void use_source(const std::shared_ptr<const TopicSource>& source,
                const std::vector<ScoreFactor>& factors, SourcePart& part) {
    part.value = [source](const PartDocument& document) {
        return source->similarity(document.value);
    };
    part.damaged = [source] { return source->damaged(); };
    part.bound = 1;
    if (part.spec.weight > 0) part.source = boosted_query(source->clone(), factors);
}

// Why a document is as similar as it is, or "".
std::string note(const SourcePart& part, const PartDocument& document) {
    if (part.dimensions == 0) return "";
    const bool given = family_of(part.spec) == RankerFamily::kVector;
    const char* vector = given ? "vector" : "topic vector";
    if (!part.any_known) {
        return given ? "the query's vector is all zero"
                     : "the topic model knows no word of the query";
    }
    if (document.value.empty()) return fmt::format("the document has no {}", vector);
    const auto stored = try_open_vector(document.value, part.dimensions);
    if (!stored) return fmt::format("the {} in value slot {} is damaged", vector, part.slot);
    if (stored->info.model_tag != part.tag) {
        return fmt::format("the document's {} is of another model", vector);
    }
    if (stored->info.document_length != document.length) {
        return fmt::format("the document has changed since its {} was made", vector);
    }
    return "";
}

}  // namespace

SourceRanking::SourceRanking(const Xapian::Database& database,
                             const std::vector<Xapian::Database>& sidecars,
                             const FusionModel& model, const Xapian::Stem& query_stemmer,
                             const std::vector<FieldSettings>& fields)
    : database_(database),
      sidecars_(sidecars),
      model_(source_part(model)),
      query_stemmer_(query_stemmer),
      forms_(database, query_stemmer),
      fields_(fields.empty() ? search_conventions(database).fields : fields) {}

const Xapian::Database& SourceRanking::models() const {
    return sidecars_.empty() ? database_ : sidecars_.front();
}

SourceRanking::Opened& SourceRanking::open(const RankerSpec& spec) {
    const std::string name = topic_model_of(spec);
    auto found = opened_.find(name);
    if (found == opened_.end()) {
        const TopicModelIdentity identity = find_topic_model(models(), name);
        check_identity(model_.provenance, identity);
        StoredTopicModel model(models(), identity);
        Xapian::Stem stemmer = stemmer_of(model.record());
        found = opened_.emplace(name, Opened{std::move(model), std::move(stemmer)}).first;
    }
    check_record(spec, found->second.model.record(), found->second.stemmer, query_stemmer_);
    return found->second;
}

SourcePart SourceRanking::make_part(const RankerSpec& spec, const Query& text,
                                    const QueryInputs& inputs) {
    switch (family_of(spec)) {
        case RankerFamily::kValue:
            return value_part(spec, value_slot(spec, fields_), inputs.now, database_, factors_);
        case RankerFamily::kFilter:
            return filter_part(spec, filter_of(spec), database_, factors_);
        case RankerFamily::kTitle:
            return title_part(spec, text, settings(), database_, factors_);
        case RankerFamily::kVector:
            return vector_part(spec, inputs);
        case RankerFamily::kNeighbours:
            return neighbours_part(spec, text);
        case RankerFamily::kProximity:
            return proximity_part(spec, database_, text, forms_);
        case RankerFamily::kAllWords:
            return all_words_part(spec, database_, text, factors_, postings_);
        case RankerFamily::kTermFeedback:
            return term_feedback_part(spec, text);
        default:
            return topic_part(spec, text);
    }
}

// A ranker of vectors that the query brings its own for.
SourcePart SourceRanking::vector_part(const RankerSpec& spec, const QueryInputs& inputs) const {
    const std::string name = topic_model_of(spec);
    const auto given = inputs.vectors.find(name);
    if (given == inputs.vectors.end()) {
        throw InvalidArgument(fmt::format(
            "ranker {}: the query has no vector '{}', and no words make one; give it with the "
            "query (--query-vector)",
            spec.label(), name));
    }
    const TopicModelIdentity identity = find_topic_model(models(), name);
    check_identity(model_.provenance, identity);
    const std::shared_ptr<const VectorSource> source =
        make_vector_source(database_, name, given->second, spec.weight, sidecars_);
    const TopicRecord record = load_topic_record(models(), identity.id);
    SourcePart part;
    part.spec = spec;
    part.slot = record.slot;
    part.dimensions = record.header.dimensions;
    part.tag = topic_model_tag(identity.id);
    const std::vector<float> vector = scaled_to_one(given->second);
    for (const float x : vector) part.any_known = part.any_known || x != 0;
    part.known = 1;
    part.fused = FusedTopic{{identity.id, part.slot}, vector, spec.weight};
    use_source(source, factors_, part);
    return part;
}

SourcePart SourceRanking::topic_part(const RankerSpec& spec, const Query& text) {
    SourcePart part;
    part.spec = spec;
    Opened& opened = open(spec);
    const TopicRecord& record = opened.model.record();
    const WordCounts words = query_words(text, record, opened.stemmer);
    for (const auto& [word, count] : words) {
        if (opened.model.term_vector(word) == nullptr) part.unknown_words.push_back(word);
    }
    part.any_known = part.unknown_words.size() < words.size();
    if (part.any_known) {
        const auto unknown = static_cast<double>(part.unknown_words.size());
        part.known = 1 - unknown / static_cast<double>(words.size());
    }
    part.slot = record.slot;
    part.dimensions = record.header.dimensions;
    part.tag = opened.model.tag();
    if (family_of(spec) == RankerFamily::kTopicLanguage) {
        add_language(opened, words, part);
    } else {
        add_similarity(opened, words, text, part);
    }
    return part;
}

void SourceRanking::add_similarity(Opened& opened, const WordCounts& words, const Query& text,
                                   SourcePart& part) const {
    std::vector<float> vector = fold(opened, words);
    const TopicSlot slot{opened.model.identity().id, part.slot};
    if (family_of(part.spec) == RankerFamily::kTopicFeedback) {
        vector = moved_by_feedback(text, TopicSource(slot, vector, 1, sidecars_), vector, part);
    }
    part.fused = FusedTopic{slot, vector, part.spec.weight};
    use_source(std::make_shared<const TopicSource>(slot, vector, part.spec.weight, sidecars_),
               factors_, part);
}

// docs/algorithms/feedback.md (3). The first pass looks at what the words find.
std::vector<float> SourceRanking::moved_by_feedback(const Query& text, const TopicSource& source,
                                                    const std::vector<float>& query,
                                                    SourcePart& part) const {
    const Stopwatch watch;
    const std::vector<double> settings = parameters_of(part.spec);
    const Query first(Query::OP_AND_MAYBE, Query(Query::OP_SCALE_WEIGHT, text, 0),
                      Query(source.clone()->release()));
    std::vector<std::vector<float>> vectors;
    const std::shared_ptr<TimeLimit> limit = limit_of_pass(limit_);
    for (const FeedbackDocument& document :
         best_documents(database_, first, static_cast<std::size_t>(settings[0]), limit)) {
        const std::string value = value_of(part, document.docid);
        const auto stored = try_open_vector(value, part.dimensions);
        if (!stored && !value.empty()) ++part.damaged_in_feedback;
        if (!stored || stored->info.model_tag != part.tag) continue;
        vectors.emplace_back(part.dimensions);
        decode_vector(*stored, vectors.back());
    }
    part.damaged_in_feedback += source.damaged();
    std::vector<float> moved = moved_towards(query, vectors, settings[1]);
    part.feedback =
        fmt::format("moved towards {} documents{}", vectors.size(), note_of_limit(limit));
    part.feedback_milliseconds = watch.milliseconds();
    return moved;
}

// docs/algorithms/feedback.md (1) and (2)
SourcePart SourceRanking::term_feedback_part(const RankerSpec& spec, const Query& text) const {
    const Stopwatch watch;
    SourcePart part;
    part.spec = spec;
    part.any_known = true;
    part.known = 1;
    const std::vector<double> settings = parameters_of(part.spec);
    const std::shared_ptr<TimeLimit> limit = limit_of_pass(limit_);
    const auto expanded = std::make_shared<const ExpandedQuery>(
        database_, text,
        TermFeedbackSettings{static_cast<std::size_t>(settings[0]),
                             static_cast<std::size_t>(settings[1]), settings[2]},
        limit);
    for (const BagTerm& term : expanded->bag().terms) {
        part.terms.push_back(term.term);
        part.feedback += fmt::format("{}{} {:.3g}", part.feedback.empty() ? "" : ", ", term.term,
                                     term.query_occurrences);
    }
    part.feedback += note_of_limit(limit);
    part.value = [expanded, terms = part.terms,
                  database = database_](const PartDocument& document) {
        const auto length = static_cast<double>(document.length);
        if (!document.counts.empty()) return expanded->score(document.counts, length);
        return expanded->score(counts_in(database, document.docid, terms), length);
    };
    part.bound = expanded->bound();
    part.feedback_milliseconds = watch.milliseconds();
    if (!(spec.weight > 0) || part.terms.empty()) return part;
    const FusedSource source(ExpandedQuery::model(spec.weight), expanded->bag());
    part.source = boosted_query(source.clone(), factors_);
    return part;
}

// The number of words that a topic model counts for each unit of document length, as of when the
// model was learned: no document's own number is kept.
double SourceRanking::words_per_length(const TopicRecord& record) const {
    const CollectionStatistics collection = collection_statistics(database_);
    const double words = record.words * collection.documents;
    const double lengths = collection.total_length * static_cast<double>(record.documents);
    return words > 0 && lengths > 0 ? std::clamp(words / lengths, 1e-12, 1.0) : 1;
}

void SourceRanking::add_language(Opened& opened, const WordCounts& words, SourcePart& part) const {
    const TopicRecord& record = opened.model.record();
    const std::vector<double> parameters = parameters_of(part.spec);
    LbdmQuery query{.model = {opened.model.identity().id, record.slot},
                    .dimensions = record.header.dimensions,
                    .chains = static_cast<std::size_t>(record.header.folding.front()),
                    .settings = {parameters[0], parameters[1]},
                    .longest = parameters[2],
                    .length_scale = words_per_length(record)};
    const double total = query.length_scale * collection_statistics(database_).total_length;
    for (const auto& [word, count] : words) {
        LbdmWord entry{{.term = term_of_word(record.form, word), .count = count}};
        const auto occurrences = static_cast<double>(database_.get_collection_freq(entry.term));
        if (occurrences == 0) continue;
        entry.collection_share = std::min(1.0, occurrences / total);
        const std::vector<float>* topics = opened.model.term_vector(word);
        if (topics != nullptr) entry.topics = *topics;
        query.words.push_back(std::move(entry));
    }
    const auto source = std::make_shared<LbdmSource>(std::move(query), part.spec.weight, sidecars_);
    source->use_tables(tables_);
    source->use_postings(postings_);
    for (const LbdmWord& word : source->query().words) part.terms.push_back(word.term);
    part.value = [source, terms = part.terms, database = database_](const PartDocument& document) {
        const auto length = static_cast<double>(document.length);
        if (!document.counts.empty()) {
            return source->score(document.counts, length, document.value);
        }
        return source->score(counts_in(database, document.docid, terms), length, document.value);
    };
    part.damaged = [source] { return source->damaged(); };
    part.bound = source->bound(database_);
    if (!(part.spec.weight > 0)) return;
    part.source = boosted_query(source->clone(), factors_);
    part.late = source;
}

// docs/algorithms/neighbours.md
SourcePart SourceRanking::neighbours_part(const RankerSpec& spec, const Query& text) const {
    const TopicModelIdentity identity = find_topic_model(models(), topic_model_of(spec));
    check_identity(model_.provenance, identity);
    const TopicRecord record = load_topic_record(models(), identity.id);
    check_record(spec, record, stemmer_of(record), query_stemmer_);
    SourcePart part;
    part.spec = spec;
    part.any_known = true;
    part.known = 1;
    part.slot = record.slot;
    part.dimensions = record.header.dimensions;
    part.tag = topic_model_tag(identity.id);
    const std::vector<double> parameters = parameters_of(spec);
    NeighbourQuery query{.model = {identity.id, record.slot},
                         .neighbours = record.header.dimensions,
                         .settings = {parameters[0], parameters[1]},
                         .longest = parameters[2],
                         .length_scale = words_per_length(record)};
    const double total = query.length_scale * collection_statistics(database_).total_length;
    for (const auto& [word, count] : query_words(text, record, stemmer_of(record))) {
        SourceWord entry{.term = term_of_word(record.form, word), .count = count};
        const auto occurrences = static_cast<double>(database_.get_collection_freq(entry.term));
        if (occurrences == 0) continue;
        entry.collection_share = std::min(1.0, occurrences / total);
        query.words.push_back(std::move(entry));
    }
    part.bound = neighbour_bound(query, database_);
    NeighbourSource source(std::move(query), spec.weight, sidecars_);
    source.use_tables(tables_);
    source.use_postings(postings_);
    // A search has the source; explanations and training read the postings once, on first use.
    struct Scorer {
        std::shared_ptr<const NeighbourQuery> query;
        Xapian::Database database;
        std::optional<NeighbourScorer> scorer = {};
        NeighbourScorer& get() {
            if (!scorer) scorer.emplace(query, database, shard_uuids(database).size());
            return *scorer;
        }
    };
    const auto scorer = std::make_shared<Scorer>(
        Scorer{std::make_shared<const NeighbourQuery>(source.query()), database_});
    part.value = [scorer](const PartDocument& document) {
        const auto length = static_cast<double>(document.length);
        return scorer->get().score(document.docid, length, document.value);
    };
    const std::shared_ptr<const NeighbourSource> run(source.clone());
    part.damaged = [scorer, run] {
        return run->damaged() + (scorer->scorer ? scorer->scorer->damaged() : 0);
    };
    if (!(spec.weight > 0)) return part;
    part.source = boosted_query(run->clone(), factors_);
    part.late = run;
    return part;
}

const IndexSettings& SourceRanking::settings() {
    if (!settings_) {
        settings_ = search_conventions(database_);
        settings_->fields = fields_;
        resolve_stop_words(settings_->analysis);
    }
    return *settings_;
}

const Query& SourceRanking::filter_of(const RankerSpec& spec) {
    const auto found = filters_.find(spec.field);
    if (found != filters_.end()) return found->second;
    Query filter = braid::filter_of(spec, settings(), database_);
    return filters_.emplace(spec.field, std::move(filter)).first->second;
}

ScoreFactor SourceRanking::factor_of(const RankerSpec& spec, double now) {
    return family_of(spec) == RankerFamily::kFilter ? filter_factor(spec, filter_of(spec))
                                                    : value_factor(spec, settings(), now);
}

const std::vector<ScoreFactor>& SourceRanking::prepare_factors(const QueryInputs& inputs) {
    const double now = inputs.now == 0 ? clock_time() : inputs.now;
    factors_.clear();
    for (const RankerSpec& spec : model_.rankers) {
        if (!is_factor(spec) || !(spec.weight > 0)) continue;
        factors_.push_back(factor_of(spec, now));
    }
    return factors_;
}

std::vector<SourcePart> SourceRanking::prepare(const Query& text, bool reports,
                                               const QueryInputs& given) {
    QueryInputs inputs = given;
    if (inputs.now == 0) inputs.now = clock_time();
    prepare_factors(inputs);
    std::vector<SourcePart> parts;
    for (const RankerSpec& spec : model_.rankers) {
        if (is_factor(spec)) {
            if (!(spec.weight > 0) && !reports) continue;
            parts.push_back(factor_part(spec, factor_of(spec, inputs.now), database_));
        } else if (spec.weight > 0) {
            parts.push_back(make_part(spec, text, inputs));
        } else if (reports) {
            try {
                parts.push_back(make_part(spec, text, inputs));
            } catch (const Error& error) {
                SourcePart part;
                part.spec = spec;
                part.problem = error.what();
                parts.push_back(std::move(part));
            }
        }
    }
    return parts;
}

Query SourceRanking::join(const Query& text, const std::vector<SourcePart>& parts,
                          SearchSettings::Candidates candidates, bool lexical, bool keep_lengths) {
    Query joined = lexical ? text : Query(Query::OP_SCALE_WEIGHT, text, 0);
    for (const SourcePart& part : parts) {
        if (!part.finds()) continue;
        if (candidates == SearchSettings::Candidates::kWords) {
            joined = Query(Query::OP_AND_MAYBE, joined, part.source);
        } else {
            joined =
                Query(Query::OP_OR, joined, keep_lengths ? with_lengths(part.source) : part.source);
        }
    }
    return with_beside(joined, parts, [](const SourcePart& part) {
        return !part.source.empty() && !part.finds();
    });
}

Query SourceRanking::with_others(const Query& query, const std::vector<SourcePart>& parts,
                                 bool joint) {
    return with_beside(query, parts, [joint](const SourcePart& part) {
        return part.is_beside() && !(joint && part.is_joint());
    });
}

std::string SourceRanking::value_of(const SourcePart& part, Xapian::docid docid) const {
    if (sidecars_.empty() || part.of_document()) {
        return database_.get_document(docid).get_value(part.slot);
    }
    const std::vector<std::string> uuids = shard_uuids(database_);
    const auto shards = static_cast<Xapian::docid>(uuids.size());
    const Xapian::Database* sidecar = find_sidecar(sidecars_, uuids[(docid - 1) % shards]);
    if (sidecar == nullptr) return "";
    try {
        return sidecar->get_document((docid - 1) / shards + 1).get_value(part.slot);
    } catch (const Xapian::DocNotFoundError&) {
        return "";
    }
}

RankerExplanation SourceRanking::explain(const SourcePart& part, Xapian::docid docid) const {
    RankerExplanation result{.label = part.spec.label(),
                             .ranker = part.spec.ranker,
                             .formula = model_rankers().find(part.spec.ranker).formula,
                             .weight = part.spec.weight};
    result.note = part.problem;
    if (!part.problem.empty()) return result;
    PartDocument document{docid, database_.get_doclength(docid), ""};
    if (part.of_document() || part.dimensions > 0) document.value = value_of(part, docid);
    result.value = part.value(document);
    if (!part.factor) result.contribution = part.spec.weight * *result.value;
    result.bound = part.bound;
    const std::string of_value =
        part.of_document() ? value_note(part, document.value) : note(part, document);
    const std::string of_part = part.note ? part.note() : "";
    for (const std::string& words : {of_value, of_part, part.feedback}) {
        if (!words.empty()) result.note += (result.note.empty() ? "" : "; ") + words;
    }
    if (!part.unknown_words.empty()) {
        result.note += fmt::format("{}unknown: {}", result.note.empty() ? "" : "; ",
                                   fmt::join(part.unknown_words, ", "));
    }
    return result;
}

}  // namespace braid
