// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <xapian.h>

#include "braid/plugin/search/rescored_search.h"
#include "braid/plugin/search/search_planner.h"
#include "braid/plugin/search/searcher.h"

namespace braid {

class SearchState {
  public:
    SearchState(const Xapian::Database& the_database, const SearcherOptions& options);

    void rank_by(const FusionModel& model);
    void rank_by(const Xapian::Weight& weight);
    // Whether there is a newer state.
    bool reopen();

    SearchResult run(const SearchRequest& request);

    Xapian::Database database;
    IndexSettings settings;
    DocumentNameSource names;
    Xapian::Stem stemmer;
    std::vector<Xapian::Database> sidecars;
    std::shared_ptr<VectorTables> vectors;
    SearchPlanner planner;
    SearchPlanner first_pass;                ///< Of a model that has to be rescored.
    std::optional<RescoredSearch> rescored;  ///< What is done with the best of that.
    bool always_rescored = false;            ///< Not only where `planner` can't serve a request.
    bool ranks_by_own_model = false;

  private:
    void rank_in_one_or_two(const FusionModel& model);
    void rank_by_own_model();
    RescoredSearch rescored_search(const FusionModel& model) const;
    SearchResult run_whole(const SearchRequest& request, const SearchPlan& plan,
                           Xapian::Enquire& enquire) const;
    void run_twice(const SearchRequest& request, const SearchPlan& plan,
                   const Xapian::Enquire& enquire, const Xapian::MSet& mset, SearchResult& result);
    SearchHit hit(const Xapian::MSet& mset, const Xapian::MSetIterator& found,
                  const Xapian::Enquire& enquire, const SearchRequest& request) const;
    void explain(const SearchPlan& plan, std::vector<SearchHit>& hits) const;
    void explain_topics(const SearchPlan& plan, SearchHit& hit) const;
};

}  // namespace braid
