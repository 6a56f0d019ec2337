// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/pool_scorer.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "braid/core/lexical/ranker.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/query/query_builder.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/query/repaired_query.h"
#include "braid/plugin/ranking/counted_words.h"
#include "braid/plugin/ranking/pool_matches.h"
#include "braid/plugin/ranking/pool_postings.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/plugin/sources/term_cursor.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/tables/record_reader.h"

namespace braid {
namespace {

// Every ranker counts: none is passed over for its weight, and none is missing in silence.
FusionModel with_unit_weights(FusionModel model) {
    validate(model);
    for (RankerSpec& spec : model.rankers) {
        spec.weight = 1;
    }
    require_database_model(model);
    return model;
}

// One query's, without judgements.
TrainingSet empty_rows(const FusionModel& model, std::size_t documents) {
    TrainingSet rows;
    for (const RankerSpec& spec : model.rankers) rows.rankers.push_back(spec.label());
    rows.queries = {"query"};
    rows.query_begin = {0, documents};
    rows.scores.resize(documents * model.rankers.size());
    rows.grades.assign(documents, kUnjudged);
    rows.bounds.resize(model.rankers.size());
    return rows;
}

// Databases with the topic vectors, in the order of the database's shards.
std::vector<Xapian::Database> holders_of_vectors(const Xapian::Database& database,
                                                 const std::vector<Xapian::Database>& sidecars) {
    if (sidecars.empty()) {
        std::vector<Xapian::Database> shards = shards_of(database);
        return shards.empty() ? std::vector<Xapian::Database>{database} : shards;
    }
    std::vector<Xapian::Database> holders;
    for (const std::string& uuid : shard_uuids(database)) {
        holders.push_back(*find_sidecar(sidecars, uuid));
    }
    return holders;
}

// Documents without a vector of the model lie at 0.
std::vector<float> places_in(const SourcePart& part, const std::vector<std::string>& values) {
    std::vector<float> places(values.size() * part.dimensions, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto stored = try_open_vector(values[i], part.dimensions);
        if (!stored || stored->info.model_tag != part.tag) continue;
        decode_vector(*stored, std::span(places).subspan(i * part.dimensions, part.dimensions));
    }
    return places;
}

constexpr std::size_t kWholeText = static_cast<std::size_t>(-1);

struct LexicalColumn {
    const LexicalTraits* traits = nullptr;
    std::unique_ptr<const LexicalRanker> ranker;
    std::size_t column = 0;
    /// Among the fields that are scored alone, behind these among the blends; or the whole text.
    std::size_t field = kWholeText;
};

}  // namespace

class PoolScorer::State {
  public:
    State(const Xapian::Database& database, const FusionModel& model, PoolScorerOptions options);

    const Limits& limits() const { return options_.limits; }

    void stop_at(const std::shared_ptr<TimeLimit>& limit) {
        limit_ = limit;
        topics_.stop_at(limit);
    }

    PoolScores score(const Xapian::Query& query, std::span<const Xapian::docid> documents,
                     const QueryInputs& inputs);

  private:
    void add_lexical(const Xapian::Query& query, std::span<const Xapian::docid> documents,
                     PoolPostings& postings, PoolScores& scores) const;
    void add_words(const CountedWords& words, std::size_t field, PoolPostings& postings,
                   PoolScores& scores) const;
    void add_document_parts(const QueryStatistics& query, std::size_t field, PoolPostings& postings,
                            PoolScores& scores) const;
    void add_matches(const Xapian::Query& query, std::span<const Xapian::docid> documents,
                     PoolPostings& postings, PoolScores& scores) const;
    QueryStatistics query_statistics(const Xapian::Query& query) const;
    void add_topics(const std::vector<SourcePart>& parts, std::span<const Xapian::docid> documents,
                    PoolPostings& postings, PoolScores& scores) const;
    void add_topics(const SourcePart& part, std::size_t column,
                    std::span<const Xapian::docid> documents,
                    const std::vector<std::string>& values, PoolPostings& postings,
                    PoolScores& scores) const;
    DocumentStatistics document(PoolPostings& postings, std::size_t field, std::size_t i) const;
    bool is_field(std::size_t field) const { return field < fields_.size(); }

    Xapian::Database database_;
    FusionModel model_;
    PoolScorerOptions options_;
    std::vector<std::string> fields_;  ///< That are scored alone.
    std::vector<FieldCollection> collections_;
    std::vector<BagBlend> blends_;
    std::vector<LexicalColumn> lexical_;
    std::vector<std::size_t> topic_columns_;
    bool needs_record_ = false;
    bool needs_norm_ = false;
    SourceRanking topics_;
    std::shared_ptr<TimeLimit> limit_;  ///< Null: none.
};

PoolScorer::State::State(const Xapian::Database& database, const FusionModel& model,
                         PoolScorerOptions options)
    : database_(database),
      model_(with_unit_weights(model)),
      options_(std::move(options)),
      fields_(scored_fields(model_)),
      collections_(field_collections(database_, fields_)),
      topics_(database_, options_.sidecars, model_, options_.query_stemmer) {
    check_sidecars(database_, options_.sidecars);
    require_served(Server::kPool, model_,
                   {.records = DatabaseRecords::are_in(database_), .query = true});
    const std::vector<std::string> blended = blended_fields(model_);
    if (!blended.empty()) {
        const std::vector<FieldSettings> fields = search_conventions(database_).fields;
        for (const std::string& names : blended) blends_.push_back(make_blend(names, fields));
    }
    for (std::size_t i = 0; i < model_.rankers.size(); ++i) {
        const RankerSpec& spec = model_.rankers[i];
        if (family_of(spec) == RankerFamily::kLexical) {
            lexical_.push_back({&lexical_rankers().find(spec.ranker).traits,
                                make_lexical_ranker(spec.ranker, spec.parameters), i});
            if (!spec.field.empty()) {
                const bool is_blend = lexical_.back().traits->blends_fields;
                const auto& names = is_blend ? blended : fields_;
                const auto found = std::find(names.begin(), names.end(), spec.field);
                lexical_.back().field = static_cast<std::size_t>(found - names.begin()) +
                                        (is_blend ? fields_.size() : 0);
                continue;
            }
            needs_record_ = needs_record_ || lexical_.back().traits->needs_record();
            needs_norm_ = needs_norm_ || lexical_.back().traits->needs_norm;
        } else {
            topic_columns_.push_back(i);
        }
    }
    const auto has_vectors = [&](std::size_t column) {
        return !topic_model_of(model_.rankers[column]).empty();
    };
    if (options_.places &&
        std::none_of(topic_columns_.begin(), topic_columns_.end(), has_vectors)) {
        throw ModelMismatch(
            "documents are to be neighbours by their topic vectors, and no ranker of the model "
            "uses "
            "a topic model");
    }
}

DocumentStatistics PoolScorer::State::document(PoolPostings& postings, std::size_t field,
                                               std::size_t i) const {
    if (is_field(field)) return postings.field_records(fields_[field])[i];
    if (needs_record_) return postings.records()[i];
    return {.length = postings.lengths()[i]};
}

// What the words give, and what each document gets for itself. Words that can't be told apart are
// left to the matcher.
void PoolScorer::State::add_lexical(const Xapian::Query& query,
                                    std::span<const Xapian::docid> documents,
                                    PoolPostings& postings, PoolScores& scores) const {
    const CountedWords words = counted_words(database_, query, documents, postings);
    if (!words.why_not.empty()) {
        add_matches(query, documents, postings, scores);
        return;
    }
    add_words(words, kWholeText, postings, scores);
    add_document_parts(query_statistics(query), kWholeText, postings, scores);
    for (std::size_t field = 0; field < fields_.size(); ++field) {
        const FieldCollection& collection = collections_[field];
        const CountedWords in_field = words_in_field(database_, words, collection, postings);
        add_words(in_field, field, postings, scores);
        add_document_parts({collection.collection, length_of(in_field)}, field, postings, scores);
    }
    for (std::size_t i = 0; i < blends_.size(); ++i) {
        add_words(words_in_blend(database_, words, blends_[i], postings), fields_.size() + i,
                  postings, scores);
    }
    for (const LexicalColumn& column : lexical_) {
        if (column.traits->is_sum) continue;
        double& bound = scores.rows.bounds[column.column];
        bound = column.ranker->finish(bound);
        for (std::size_t i = 0; i < documents.size(); ++i) {
            double& value = scores.rows.scores[i * scores.rows.width() + column.column];
            value = column.ranker->finish(value);
        }
    }
}

void PoolScorer::State::add_document_parts(const QueryStatistics& query, std::size_t field,
                                           PoolPostings& postings, PoolScores& scores) const {
    const BoundStatistics bounds =
        field == kWholeText ? bound_statistics(database_, "") : field_bounds(database_, "");
    const std::size_t documents = scores.rows.rows();
    for (const LexicalColumn& column : lexical_) {
        const auto scorer = column.field == field ? column.ranker->document_scorer(query) : nullptr;
        if (scorer == nullptr) continue;
        scores.rows.bounds[column.column] += scorer->upper_bound(bounds);
        for (std::size_t i = 0; i < documents; ++i) {
            scores.rows.scores[i * scores.rows.width() + column.column] +=
                scorer->score(document(postings, field, i));
        }
    }
}

// Adds up words in the query's order, as FusedSource does.
void PoolScorer::State::add_words(const CountedWords& words, std::size_t field,
                                  PoolPostings& postings, PoolScores& scores) const {
    const double norm = needs_norm_ || is_field(field) ? words.query_norm() : 0;
    std::vector<const LexicalColumn*> columns;
    for (const LexicalColumn& column : lexical_) {
        if (column.field == field) columns.push_back(&column);
    }
    for (const CountedWord& word : words.words) {
        std::vector<WordScorer> scorers;
        for (const LexicalColumn* column : columns) {
            scorers.emplace_back(*column->ranker, word, norm);
            scores.rows.bounds[column->column] += scorers.back().bound();
        }
        for (std::size_t i = 0; i < word.counts.size(); ++i) {
            if (word.counts[i] == 0) continue;
            DocumentStatistics statistics = document(postings, field, i);
            statistics.occurrences = word.counts[i];
            if (is_field(field)) statistics = with_occurrences(statistics, word.counts[i]);
            for (std::size_t k = 0; k < columns.size(); ++k) {
                scores.rows.scores[i * scores.rows.width() + columns[k]->column] +=
                    scorers[k].score(i, statistics);
            }
        }
    }
}

// A document that doesn't match has what belongs to no word.
void PoolScorer::State::add_matches(const Xapian::Query& query,
                                    std::span<const Xapian::docid> documents,
                                    PoolPostings& postings, PoolScores& scores) const {
    for (const LexicalColumn& column : lexical_) {
        const RankerSpec& spec = model_.rankers[column.column];
        const RankerMatches matches =
            matches_by(database_, spec, query, scored_length(query), documents, limit_);
        stop_in_time(limit_.get());
        if (!matches.problem.empty()) {
            throw InvalidArgument(
                fmt::format("ranker {}: the query {} has more than words, phrases, ranges, "
                            "synonyms and boolean operators, and {}",
                            spec.label(), query.get_description(), matches.problem));
        }
        const auto scorer = column.ranker->document_scorer(query_statistics(query));
        // Xapian 2 says 0 of a query that matches nothing.
        scores.rows.bounds[column.column] =
            std::max(matches.bound,
                     scorer == nullptr ? 0 : scorer->upper_bound(bound_statistics(database_, "")));
        for (std::size_t i = 0; i < documents.size(); ++i) {
            double value = matches.values[i].value_or(0);
            if (!matches.values[i] && scorer != nullptr) {
                value = scorer->score(document(postings, kWholeText, i));
            }
            scores.rows.scores[i * scores.rows.width() + column.column] = value;
        }
    }
}

QueryStatistics PoolScorer::State::query_statistics(const Xapian::Query& query) const {
    return {collection_statistics(database_), static_cast<double>(scored_length(query))};
}

void PoolScorer::State::add_topics(const SourcePart& part, std::size_t column,
                                   std::span<const Xapian::docid> documents,
                                   const std::vector<std::string>& values, PoolPostings& postings,
                                   PoolScores& scores) const {
    scores.rows.bounds[column] = part.bound;
    std::vector<const std::vector<double>*> counts;
    for (const std::string& term : part.terms) counts.push_back(&postings.counts(term));
    std::vector<double> of_document(counts.size());
    PartDocument document;
    document.counts = of_document;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        if (limit_ != nullptr && limit_->is_over()) throw TimeIsOver();
        document.docid = documents[i];
        document.length = static_cast<Xapian::termcount>(postings.lengths()[i]);
        document.value = values[i];
        for (std::size_t k = 0; k < counts.size(); ++k) of_document[k] = (*counts[k])[i];
        const std::uint64_t damaged = part.damaged_vectors();
        scores.rows.scores[i * scores.rows.width() + column] = part.value(document);
        if (part.damaged_vectors() > damaged) scores.damaged.insert(documents[i]);
    }
}

// One read of each vector, however many rankers use it.
void PoolScorer::State::add_topics(const std::vector<SourcePart>& parts,
                                   std::span<const Xapian::docid> documents, PoolPostings& postings,
                                   PoolScores& scores) const {
    const std::vector<Xapian::Database> holders = holders_of_vectors(database_, options_.sidecars);
    const std::vector<Xapian::Database> own = holders_of_vectors(database_, {});
    // Values by slot: those of the documents, or of the databases that hold vectors.
    std::map<std::pair<Xapian::valueno, bool>, std::vector<std::string>> values;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const bool of_document = parts[k].of_document();
        const bool reads = of_document || parts[k].dimensions > 0;
        const auto [entry, is_new] =
            values.try_emplace({reads ? parts[k].slot : Xapian::BAD_VALUENO, of_document});
        if (is_new && !reads) entry->second.resize(documents.size());
        if (is_new && reads) {
            PoolValues reader(of_document ? own : holders, parts[k].slot,
                              of_document ? nullptr : options_.tables.get());
            for (const Xapian::docid docid : documents) {
                if (limit_ != nullptr && limit_->is_over()) throw TimeIsOver();
                entry->second.push_back(reader.value(docid));
            }
        }
        if (options_.places && parts[k].dimensions > 0 && scores.rows.places.empty()) {
            scores.rows.places = places_in(parts[k], entry->second);
        }
        add_topics(parts[k], topic_columns_[k], documents, entry->second, postings, scores);
    }
}

PoolScores PoolScorer::State::score(const Xapian::Query& query,
                                    std::span<const Xapian::docid> documents,
                                    const QueryInputs& inputs) {
    PoolScores scores{.rows = empty_rows(model_, documents.size()),
                      .known = std::vector<double>(model_.rankers.size(), 1)};
    if (std::adjacent_find(documents.begin(), documents.end(), std::greater_equal<>()) !=
        documents.end()) {
        throw InvalidArgument("PoolScorer: the documents don't ascend");
    }
    if (query.empty()) throw InvalidArgument("PoolScorer: the query is empty");
    PoolPostings postings(database_, documents, limit_);
    postings.lengths();  // Throws where a document isn't there, whatever its words are.
    if (!lexical_.empty()) add_lexical(query, documents, postings, scores);
    scores.damaged = postings.damaged();
    if (topic_columns_.empty()) return scores;
    stop_in_time(limit_.get());
    const std::vector<SourcePart> parts = topics_.prepare(query, false, inputs);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        scores.known[topic_columns_[k]] = parts[k].known;
    }
    add_topics(parts, documents, postings, scores);
    return scores;
}

PoolScorer::PoolScorer(const Xapian::Database& database, const FusionModel& model,
                       PoolScorerOptions options)
    : state_(std::make_unique<State>(database, model, std::move(options))) {}
PoolScorer::~PoolScorer() = default;
PoolScorer::PoolScorer(PoolScorer&&) noexcept = default;
PoolScorer& PoolScorer::operator=(PoolScorer&&) noexcept = default;

void PoolScorer::stop_at(const std::shared_ptr<TimeLimit>& limit) { state_->stop_at(limit); }

PoolScores PoolScorer::score(const Xapian::Query& query, std::span<const Xapian::docid> documents,
                             const QueryInputs& inputs) {
    check_query(query, state_->limits());
    return state_->score(drop_idle_parts(query), documents, inputs);
}

}  // namespace braid
