// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/model.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/query/query_builder.h"
#include "braid/plugin/ranking/query_weights.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/joint_source.h"
#include "braid/plugin/sources/time_limit.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/search_request.h"
#include "braid/search_result.h"
#include "braid/settings.h"

namespace braid {

/// Plan of one search.
struct SearchPlan {
    ParsedQuery parsed;
    /// What ranks, with the query's own weights where they follow from it; none where a weighting
    /// scheme ranks.
    std::shared_ptr<const FusionModel> model;
    std::optional<QueryWeighting> weighting;  ///< Without its model, which is `model`.
    std::optional<Xapian::Query> filter;      ///< What the request wants besides.
    bool matches_by_words = true;  ///< Whether FusedSource finds what matches, no query beside.
    std::vector<SourcePart> topics;
    Xapian::Query words;    ///< The query as requested, with all filters.
    Xapian::Query lexical;  ///< Finds the same documents by lexical rankers only.
    Xapian::Query query;    ///< The query that runs.
    Xapian::termcount length = 0;
    Xapian::doccount check_at_least = 0;  ///< The request's, or more.
    std::unique_ptr<FusedSource> source;  ///< In `query`, where it is there.
    /// In `query` instead, with `source` and others in it: for databases here.
    std::unique_ptr<JointSource> joint;
    /// Where similar documents are to be found beside what `query` finds: see hybrid_search.h.
    std::optional<TopicFinding> finding;
    std::shared_ptr<TimeLimit> limit;  ///< Null: none.
    std::size_t best = 0;  ///< Documents that are wanted, by their score alone; 0: unknown.
    double beside = 0;     ///< The most that sources beside `source` add to a score.
    std::vector<ScoreFactor>
        factors;    ///< Factors of the score: `source` and those beside have them.
    SearchRun run;  ///< Without counters.
    /// Why no pass serves the model for this request, as a sentence; then there is no query.
    std::string why_not_served;
};

/// Turns requests into queries with their ranking, over one state of a database, and chooses how to
/// run them: by FusedSource if it gives the same scores, else by FusedWeight with topic sources
/// beside. For one thread.
class SearchPlanner {
  public:
    /// `sidecars` have been checked (check_sidecars). `stemmer` is that of queries. `tables` and
    /// `postings` may be null; then data is read from the database.
    SearchPlanner(const Xapian::Database& database, const std::vector<Xapian::Database>& sidecars,
                  const IndexSettings& index, const SearchSettings& search, const Limits& limits,
                  std::shared_ptr<VectorTables> tables, std::shared_ptr<PostingTables> postings);

    /// Tells that nobody reopens the database (TermNotes::stays).
    void keep_notes() { notes_.stays = true; }

    /// See Searcher.
    void rank_by(const FusionModel& model);
    void rank_by(const Xapian::Weight& weight);

    /// Throws as Searcher::search does, but for SearchPlan::why_not_served. The plan's query ends
    /// at `limit`, where there is one.
    /// `best` documents are wanted, by their score alone; 0: it isn't known which.
    SearchPlan plan(const SearchRequest& request, const std::shared_ptr<TimeLimit>& limit = {},
                    std::size_t best = 0);

    /// A plan's query with another FusedSource in it.
    static Xapian::Query query_around(const FusedSource& source, const SearchRequest& request,
                                      const SearchPlan& plan);

    /// What to give to Enquire with a plan's query.
    std::unique_ptr<Xapian::Weight> weight_for(const SearchPlan& plan) const;

    const Xapian::Weight& weight() const;
    RankerExplanation explain(const SourcePart& part, Xapian::docid docid) const {
        return topics_->explain(part, docid);
    }

    Xapian::Query bag_of_words(const std::string& text) { return builder_.bag_of_words(text); }

  private:
    bool finds_by_words(const SearchRequest& request, const SearchPlan& plan) const;
    std::optional<Xapian::Query> summed_words(const SearchRequest& request,
                                              const SearchPlan& plan) const;
    SearchSettings::Candidates candidates_for(const SearchRequest& request) const {
        const Candidates of_model = model_ ? model_->candidates : Candidates::kWords;
        return request.candidates.value_or(candidates_.value_or(of_model));
    }
    void parse(const SearchRequest& request, SearchPlan& plan);
    void add_weights(const SearchRequest& request, SearchPlan& plan);
    SourceRanking& sources(const SearchPlan& plan);
    void add_topics(const SearchRequest& request, SearchPlan& plan);
    std::string why_not_candidates(const SearchRequest& request, const SearchPlan& plan) const;
    std::string why_not_every(const SearchPlan& plan) const;
    /// What a FusedSource is made of, beside the model.
    struct SourceInputs {
        BagOfWords bag;
        std::vector<FusedTopic> topics;
        std::vector<FusedProximity> proximities;
    };
    std::unique_ptr<FusedSource> make_source(const FusionModel& model, const SourceInputs& inputs,
                                             const SearchPlan& plan) const;
    void add_joint(const SourceInputs& inputs, bool every, SearchPlan& plan) const;
    void find_without_words(SearchPlan& plan) const;
    void add_finding(const SearchRequest& request, SearchPlan& plan) const;
    std::string why_not_pruned(const SearchRequest& request, const SearchPlan& plan) const;
    Xapian::Query pruning_query(const SearchRequest& request, SearchPlan& plan) const;
    Xapian::Query plain_query(const SearchRequest& request, SearchPlan& plan) const;

    Xapian::Database database_;
    std::vector<Xapian::Database> sidecars_;
    Limits limits_;
    QueryBuilder builder_;
    std::vector<FieldSettings> fields_;
    Xapian::Stem stemmer_;  ///< None where words are not stemmed.
    std::optional<Candidates> candidates_;
    std::size_t clusters_visited_;
    std::shared_ptr<VectorTables> tables_;
    std::shared_ptr<PostingTables> postings_;
    /// Null until a search needs it: most are pruned, and that of a process may be its only one.
    mutable std::unique_ptr<Xapian::Weight> weight_;
    FusionModel lexical_;                        ///< What it is made of then.
    std::shared_ptr<const FusionModel> model_;   ///< Null: the weight was given.
    std::optional<QueryWeights> query_weights_;  ///< Where they follow from the query.
    bool keeps_lengths_ = false;
    std::string why_not_plain_;  ///< "" where `weight_` serves all of the model's lexical rankers.
    std::optional<SourceRanking> topics_;  ///< Once needed.
    mutable TermNotes notes_;
};

}  // namespace braid
