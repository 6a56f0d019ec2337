// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/searcher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/models/model_parts.h"
#include "braid/plugin/database_conventions.h"
#include "braid/plugin/document_fields.h"
#include "braid/plugin/explainer.h"
#include "braid/plugin/newest_state.h"
#include "braid/plugin/search_planner.h"
#include "braid/plugin/snippet.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/model_store.h"
#include "braid/plugin/store/sidecar.h"

namespace braid {
namespace {

void set_order(Xapian::Enquire& enquire, const SearchRequest& request) {
    if (request.sort) {
        enquire.set_sort_by_value_then_relevance(request.sort->slot, request.sort->descending);
    }
    if (request.collapse) {
        enquire.set_collapse_key(request.collapse->slot, request.collapse->keep);
    }
    if (request.min_score > 0) enquire.set_cutoff(0, request.min_score);
}

}  // namespace

class Searcher::State {
  public:
    State(const Xapian::Database& the_database, const SearcherOptions& options)
        : database(the_database),
          settings(options.index ? *options.index : search_conventions(database)),
          names(options.names ? *options.names : name_convention(database)),
          stemmer(make_stemmer(settings.analysis)),
          sidecars(options.sidecars),
          planner(database, sidecars, settings, options.search, options.vectors) {
        check_sidecars(database, sidecars);
        rank_by_own_model();
    }

    template <typename Ranking>
    void rank_by(const Ranking& ranking) {
        planner.rank_by(ranking);
        ranks_by_own_model = false;
    }
    void reopen() {
        database.reopen();
        for (Xapian::Database& sidecar : sidecars) sidecar.reopen();
        planner.reopened();
        if (ranks_by_own_model) rank_by_own_model();
    }

    SearchResult run(const SearchRequest& request);

    Xapian::Database database;
    IndexSettings settings;
    DocumentNameSource names;
    Xapian::Stem stemmer;
    std::vector<Xapian::Database> sidecars;
    SearchPlanner planner;
    bool ranks_by_own_model = false;

  private:
    void rank_by_own_model();
    SearchHit hit(const Xapian::MSet& mset, const Xapian::MSetIterator& found,
                  const Xapian::Enquire& enquire, const SearchRequest& request) const;
    void explain(const SearchPlan& plan, std::vector<SearchHit>& hits) const;
    void explain_topics(const SearchPlan& plan, SearchHit& hit) const;
};

void Searcher::State::rank_by_own_model() {
    std::optional<FusionModel> own = load_fusion_model(database);
    if (!own && !sidecars.empty()) own = load_fusion_model(sidecars.front());
    planner.rank_by(own.value_or(FusionModel{}));
    ranks_by_own_model = true;
}

SearchResult Searcher::State::run(const SearchRequest& request) {
    const SearchPlan planned = planner.plan(request);
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(*planner.weight_for(planned));
    enquire.set_query(planned.query, planned.length);
    set_order(enquire, request);
    for (Xapian::MatchSpy* spy : request.spies) enquire.add_matchspy(spy);
    const Xapian::MSet mset =
        enquire.get_mset(request.first, request.count, request.check_at_least);

    SearchResult result;
    result.matches = mset.get_matches_estimated();
    result.matches_at_least = mset.get_matches_lower_bound();
    result.matches_at_most = mset.get_matches_upper_bound();
    result.query = planned.query;
    result.run = planned.run;
    if (planned.source) result.run.counters = planned.source->counters();
    result.corrected = planned.parsed.corrected;
    for (auto found = mset.begin(); found != mset.end(); ++found) {
        result.hits.push_back(hit(mset, found, enquire, request));
    }
    if (request.explain && planned.parsed.scored) explain(planned, result.hits);
    return result;
}

SearchHit Searcher::State::hit(const Xapian::MSet& mset, const Xapian::MSetIterator& found,
                               const Xapian::Enquire& enquire, const SearchRequest& request) const {
    const Xapian::Document document = found.get_document();
    SearchHit hit;
    hit.rank = found.get_rank() + 1;
    hit.docid = *found;
    // Within a shard a document has another number, which is not its name.
    if (names.kind != DocumentNameSource::Kind::kDocid) hit.name = document_name(document, names);
    if (hit.name.empty()) hit.name = std::to_string(hit.docid);
    hit.score = found.get_weight();
    hit.percent = found.get_percent();
    hit.collapsed = found.get_collapse_count();
    if (!request.documents) return hit;
    hit.data = document.get_data();
    hit.fields = document_fields(hit.data);
    hit.title = document_title(hit.fields, hit.data);
    hit.snippet = make_snippet(mset, document_text(hit.fields, hit.data), stemmer, request.snippet);
    for (auto term = enquire.get_matching_terms_begin(found);
         term != enquire.get_matching_terms_end(found); ++term) {
        hit.terms.push_back(*term);
    }
    return hit;
}

void Searcher::State::explain(const SearchPlan& plan, std::vector<SearchHit>& hits) const {
    std::vector<Explanation> explanations(hits.size());
    if (planner.model()) {
        std::vector<Xapian::docid> docids;
        for (const SearchHit& hit : hits) docids.push_back(hit.docid);
        explanations =
            Explainer(database, *planner.model(), plan.lexical, plan.length).explain(docids);
    } else {
        const std::string name = planner.weight().name();
        for (std::size_t i = 0; i < hits.size(); ++i) {
            explanations[i].rankers.push_back({.label = name,
                                               .ranker = name,
                                               .formula = {},
                                               .weight = 1,
                                               .value = hits[i].score,
                                               .contribution = hits[i].score});
        }
    }
    for (std::size_t i = 0; i < hits.size(); ++i) {
        explanations[i].path = plan.run.path;
        hits[i].explanation = std::move(explanations[i]);
        if (!plan.topics.empty()) explain_topics(plan, hits[i]);
    }
}

// Puts the topic rankers between the lexical ones, in the model's order.
void Searcher::State::explain_topics(const SearchPlan& plan, SearchHit& hit) const {
    std::vector<RankerExplanation> rankers;
    auto lexical = hit.explanation->rankers.begin();
    auto part = plan.topics.begin();
    for (const RankerSpec& spec : planner.model()->rankers) {
        if (family_of(spec) == RankerFamily::kLexical) {
            rankers.push_back(std::move(*lexical++));
        } else {
            rankers.push_back(planner.explain(*part++, hit.docid));
        }
    }
    hit.explanation->rankers = std::move(rankers);
}

Searcher::Searcher(const Xapian::Database& database, const SearcherOptions& options) {
    Xapian::Database newest = database;
    SearcherOptions with_newest = options;
    const auto reopen = [&] {
        newest.reopen();
        for (Xapian::Database& sidecar : with_newest.sidecars) sidecar.reopen();
    };
    state_ = on_newest_state("tries to read how it is searched", reopen, [&](unsigned) {
        return std::make_unique<State>(newest, with_newest);
    });
}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;

void Searcher::rank_by(const FusionModel& model) { state_->rank_by(model); }
void Searcher::rank_by(const Xapian::Weight& weight) { state_->rank_by(weight); }

SearchResult Searcher::search(const SearchRequest& request) {
    return on_newest_state(
        "searches", [&] { state_->reopen(); },
        [&](unsigned reopened) {
            SearchResult result = state_->run(request);
            result.reopened = reopened;
            return result;
        });
}

Xapian::Query Searcher::bag_of_words(const std::string& text) {
    return state_->planner.bag_of_words(text);
}

const Xapian::Database& Searcher::database() const { return state_->database; }
const IndexSettings& Searcher::index_settings() const { return state_->settings; }

}  // namespace braid
