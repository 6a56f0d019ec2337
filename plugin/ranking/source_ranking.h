// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/query/proximity_query.h"
#include "braid/plugin/sources/boosted_source.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/slot_source.h"
#include "braid/plugin/sources/time_limit.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/search_request.h"
#include "braid/search_result.h"
#include "braid/settings.h"

namespace braid {

/// A document, as rankers of topics, vectors and values see it.
struct PartDocument {
    Xapian::docid docid = 0;
    Xapian::termcount length = 0;
    std::string value;  ///< In the part's slot; "" if there is none.
    /// How often it has each of SourcePart::terms; empty: looked up where they are needed.
    std::span<const double> counts = {};
};

/// A ranker of topics, vectors or values with a query worked in.
struct SourcePart {
    /// Whether documents that don't match the words may be found for it, where candidates are all.
    bool finds() const {
        const RankerFamily family = family_of(spec);
        return !source.empty() && family != RankerFamily::kValue &&
               family != RankerFamily::kProximity && family != RankerFamily::kTitle &&
               family != RankerFamily::kFilter && family != RankerFamily::kAllWords;
    }
    /// Whether `slot` is the document's own, whatever sidecars there are.
    bool of_document() const { return family_of(spec) == RankerFamily::kValue; }

    /// Whether its source stands beside FusedSource, not in it.
    bool is_beside() const { return !source.empty() && !fused && !proximity; }
    /// Whether JointSource can take it in.
    bool is_joint() const { return late != nullptr || of_all_words; }

    /// Damaged vectors that the part has met so far.
    std::uint64_t damaged_vectors() const {
        return damaged_in_feedback + (damaged ? damaged() : 0);
    }

    RankerSpec spec;
    /// Where it multiplies the score of all others instead: `value` is what the factor depends on.
    std::optional<ScoreFactor> factor = {};
    Xapian::Query source;  ///< Its part of the score, weight and all; empty for weight 0.
    /// The same for FusedSource, where it can serve the ranker.
    std::optional<FusedTopic> fused;
    std::optional<FusedProximity> proximity;
    /// The same for JointSource: a source without factors, or that it is the ranker all-words.
    std::shared_ptr<const DocumentSource> late = {};
    bool of_all_words = false;
    std::function<double(const PartDocument&)> value;  ///< Without the weight.
    double bound = 0;                                  ///< Bound of `value`.
    std::vector<std::string> terms;                    ///< Whose occurrences `value` depends on.
    Xapian::valueno slot = 0;
    std::size_t dimensions = 0;  ///< 0 where `value` looks at no vector.
    std::uint8_t tag = 0;
    std::function<std::uint64_t()> damaged = {};  ///< Damaged vectors that `value`, `source` met.
    /// Documents that `source` met without positions of words that they have.
    std::function<std::uint64_t()> without_positions = {};
    std::uint64_t damaged_in_feedback = 0;   ///< The same of a first pass.
    bool any_known = false;                  ///< Whether the model knows any word of the query.
    double known = 0;                        ///< The share of its words that the model knows.
    std::vector<std::string> unknown_words;  ///< Unknown words of the query.
    std::function<std::string()> note = {};  ///< About the document that `value` saw last.
    std::string feedback;                    ///< What a first pass made of the query, in words,
    double feedback_milliseconds = 0;        ///< and how long that took.
    std::string problem;                     ///< Why there is no value, of weight 0 only.
    std::string doubt;                       ///< What a user should know of it, as a sentence.
};

/// A query in a topic model's space.
struct QueryTopics {
    std::vector<float> vector;  ///< Has length 1, or is all zero where no word is known.
    double known = 0;           ///< The share of its words that the model knows.
};

/// The rankers of topics, vectors and values of a fusion model over one state of a database: they
/// belong together until the database is reopened. For one thread.
class SourceRanking {
  public:
    /// Where `sidecars` are given they have been checked (check_sidecars), and models are read
    /// from the first. `fields` say which slots fields have; none: as the database says.
    BRAID_API SourceRanking(const Xapian::Database& database,
                            const std::vector<Xapian::Database>& sidecars, const FusionModel& model,
                            const Xapian::Stem& query_stemmer,
                            const std::vector<FieldSettings>& fields = {});

    /// The model's rankers of those families for a query, in their order; those of weight 0 only
    /// for `reports`. First passes for feedback run under the filters and exclusions around it.
    /// Throws ModelMismatch where the database doesn't have the topic models, vectors or slots that
    /// the fusion model needs, or queries are stemmed in another way than topics were trained with,
    /// and InvalidArgument where the query has no vector for a ranker, or one that doesn't fit.
    std::vector<SourcePart> prepare(const Xapian::Query& text, bool reports,
                                    const QueryInputs& inputs = {});

    /// The model's factors, in their order. Throws as `prepare` does for values, and ModelMismatch
    /// for a filter that names a field which there isn't.
    const std::vector<ScoreFactor>& prepare_factors(const QueryInputs& inputs);
    /// Those of the query that was prepared last.
    const std::vector<ScoreFactor>& factors() const { return factors_; }

    /// First passes for feedback stop at `limit_of_pass(limit)`, and give what they have by then.
    /// Null: they don't.
    void stop_at(std::shared_ptr<TimeLimit> limit) { limit_ = std::move(limit); }

    /// Sources beside the text read values and lengths from there; null: from the database.
    void use_tables(std::shared_ptr<VectorTables> tables) { tables_ = std::move(tables); }
    /// The same of words' postings.
    void use_postings(std::shared_ptr<PostingTables> postings) { postings_ = std::move(postings); }

    /// From now on the rankers have the weights of `model`, whose rankers they are.
    void weigh_as(const FusionModel& model) { model_ = source_part(model); }

    /// By the topic model of that name, which one of the model's rankers uses. `terms` are the
    /// query's (scored_terms). Throws as `prepare`.
    QueryTopics topics_of(const std::string& name, const std::map<std::string, double>& terms);

    /// `text` with the parts' sources beside. `lexical` says that the text counts.
    /// `keep_lengths` is for candidates that only a source finds: Xapian can't tell a weight how
    /// long they are, unless they are found twice.
    static Xapian::Query join(const Xapian::Query& text, const std::vector<SourcePart>& parts,
                              SearchSettings::Candidates candidates, bool lexical,
                              bool keep_lengths);

    /// `query`, which has a FusedSource, or a JointSource if `joint`, with the sources of those
    /// parts beside that it lacks.
    static Xapian::Query with_others(const Xapian::Query& query,
                                     const std::vector<SourcePart>& parts, bool joint);

    /// What a part has to do with a document.
    RankerExplanation explain(const SourcePart& part, Xapian::docid docid) const;

  private:
    struct Opened {
        StoredTopicModel model;
        Xapian::Stem stemmer;
        WordCounts words = {};  ///< The words folded in last, and the result.
        std::vector<float> vector = {};
    };
    static const std::vector<float>& fold(Opened& opened, const WordCounts& words);

    const Xapian::Database& models() const;
    Opened& open(const RankerSpec& spec);
    SourcePart make_part(const RankerSpec& spec, const Xapian::Query& text,
                         const QueryInputs& inputs);
    SourcePart topic_part(const RankerSpec& spec, const Xapian::Query& text);
    const IndexSettings& settings();
    const Xapian::Query& filter_of(const RankerSpec& spec);
    ScoreFactor factor_of(const RankerSpec& spec, double now);
    SourcePart vector_part(const RankerSpec& spec, const QueryInputs& inputs) const;
    void add_similarity(Opened& opened, const WordCounts& words, const Xapian::Query& text,
                        SourcePart& part) const;
    SourcePart neighbours_part(const RankerSpec& spec, const Xapian::Query& text) const;
    SourcePart term_feedback_part(const RankerSpec& spec, const Xapian::Query& text) const;
    std::vector<float> moved_by_feedback(const Xapian::Query& text, const TopicSource& source,
                                         const std::vector<float>& query, SourcePart& part) const;
    void add_language(Opened& opened, const WordCounts& words, SourcePart& part) const;
    double words_per_length(const TopicRecord& record) const;
    std::string value_of(const SourcePart& part, Xapian::docid docid) const;

    Xapian::Database database_;
    std::vector<Xapian::Database> sidecars_;
    FusionModel model_;
    Xapian::Stem query_stemmer_;
    WordForms forms_;
    std::vector<FieldSettings> fields_;
    std::optional<IndexSettings> settings_;         ///< Of the database, once needed.
    std::map<std::string, Xapian::Query> filters_;  ///< By their text.
    std::vector<ScoreFactor> factors_;              ///< Of the query that is prepared.
    std::map<std::string, Opened> opened_;          ///< By the models' names.
    std::shared_ptr<TimeLimit> limit_;
    std::shared_ptr<VectorTables> tables_;
    std::shared_ptr<PostingTables> postings_;
};

}  // namespace braid
