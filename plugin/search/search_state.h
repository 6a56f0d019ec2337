// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/search/rescored_search.h"
#include "braid/plugin/search/search_planner.h"
#include "braid/searcher.h"

namespace braid {

/// Runs a searcher's searches over one state of its databases: everything in it was read from that
/// state and is discarded with it. For one thread.
class SearchState {
  public:
    /// Throws ModelMismatch and FormatError as Searcher's constructor does, and
    /// Xapian::DatabaseModifiedError where a writer was faster.
    SearchState(const OpenedDatabases& opened, const SearcherOptions& options);

    /// Without either, the first search ranks by the model that is installed in the databases, or
    /// by BM25.
    void rank_by(const FusionModel& model);
    void rank_by(const Xapian::Weight& weight);

    /// Makes `planner` rank by the model that is installed, unless it ranks already, and by the
    /// weighted sum of a model that has trees beside one. Throws ModelMismatch where there is no
    /// model, and for any other that takes two passes.
    void require_one_pass();

    /// Of the scores that `planner` gives the query of a plan; empty: the model has none, or a
    /// bound isn't known.
    Calibration calibration_of(const SearchPlan& plan) const;

    /// Ends at `limit`, where there is one.
    SearchResult run(const SearchRequest& request, const std::shared_ptr<TimeLimit>& limit = {});

    Xapian::Database database;
    IndexSettings settings;
    DocumentNameSource names;
    Xapian::Stem stemmer;
    std::vector<Xapian::Database> sidecars;
    Limits limits;
    std::shared_ptr<VectorTables> vectors;
    SearchPlanner planner;

  private:
    SearchPlanner another_planner() const;
    RescoredSearch rescored_search(const FusionModel& model) const;
    SearchResult run_whole(const SearchRequest& request, const SearchPlan& plan,
                           Xapian::Enquire& enquire) const;
    void run_twice(const SearchRequest& request, const SearchPlan& plan,
                   const Xapian::Enquire& enquire, const Xapian::MSet& mset,
                   const std::shared_ptr<TimeLimit>& limit, SearchResult& result);
    SearchHit hit(const Xapian::MSet& mset, const Xapian::MSetIterator& found,
                  const Xapian::Enquire& enquire, const SearchRequest& request) const;
    void explain(const SearchPlan& plan, std::vector<SearchHit>& hits) const;
    void explain_topics(const SearchPlan& plan, SearchHit& hit) const;

    void rank_by_own();
    double least_score(const SearchRequest& request, const std::shared_ptr<TimeLimit>& limit);
    void set_calibration(const FusionModel& model);
    double unit_of(std::span<const double> bounds) const;
    SearchResult run_ranked(const SearchRequest& request, const std::shared_ptr<TimeLimit>& limit);

    SearcherOptions options_;
    bool is_ranked_ = false;                   ///< Whether a model or a weight was set.
    std::optional<SearchPlanner> first_pass_;  ///< The first pass of a model that needs rescoring.
    std::optional<RescoredSearch> rescored_;   ///< What is done with the best of that.
    bool always_rescored_ = false;             ///< Not only where `planner` can't serve a request.
    std::optional<FusionModel> one_pass_;      ///< The sum in it, if it is always rescored.
    std::string why_rescored_;
    Calibration calibration_;            ///< The model's.
    std::vector<double> bound_weights_;  ///< That it goes with.
    Calibration of_query_;               ///< The last search's.
};

}  // namespace braid
