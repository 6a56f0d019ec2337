// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/ranking.h"

#include <algorithm>
#include <utility>

#include "braid/error.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/search/state_follower.h"
#include "braid/plugin/search/state_guard.h"
#include "braid/weight.h"

namespace braid {
namespace {

using Query = Xapian::Query;

RankingSetup default_options() {
    RankingSetup options;
    return options;
}

SearcherOptions searcher_options(const Xapian::Database& database, const RankingSetup& options) {
    if (options.candidates == Candidates::kHybrid) {
        throw InvalidArgument(
            "Ranking finds candidates by words or among all documents, not by clusters (hybrid), "
            "which takes the page to be known: use Searcher");
    }
    SearcherOptions result;
    result.index = options.index;
    result.limits = options.limits;
    result.sidecars = options.sidecars;
    result.search.candidates = options.candidates;
    // Tables are kept by revision, which changes that aren't committed have none of.
    const bool may_change = dynamic_cast<const Xapian::WritableDatabase*>(&database) != nullptr;
    result.vectors = may_change ? nullptr : options.vectors;
    result.postings = may_change ? nullptr : options.postings;
    return result;
}

SearchRequest request_of(const Query& query, const QueryInputs& inputs) {
    SearchRequest request;
    request.query = query;
    request.inputs = inputs;
    return request;
}

}  // namespace

class Ranking::State {
  public:
    State(const Xapian::Database& database, const FusionModel* model, const RankingSetup& options)
        : database_(database),
          shards_(shard_identities(database)),
          follower_(follow_handles({database, options.sidecars}),
                    searcher_options(database, options)) {
        if (model != nullptr) follower_.rank_by(*model);
        follower_.run("attempts to prepare a ranking", [&](SearchState& state, unsigned) {
            state.require_one_pass();
            ask_servers();
        });
    }

    SearchPlan plan(const SearchRequest& request) {
        // A remote database isn't looked at each time, but these it has sent.
        std::vector<ShardIdentity> shards = shard_identities(database_, shards_);
        if (shards != shards_) follower_.refresh();
        shards_ = std::move(shards);
        return follower_.run("attempts to make a query", [&](SearchState& state, unsigned) {
            state.require_one_pass();
            return state.planner.plan(request);
        });
    }

    Calibration calibration_of(const SearchPlan& plan) {
        return follower_.state().calibration_of(plan);
    }

    std::unique_ptr<Xapian::Weight> weight_for(const SearchPlan& plan) {
        return follower_.state().planner.weight_for(plan);
    }

    Query guarded(const Query& query) const {
        if (query.empty()) return query;
        return {Query::OP_AND_NOT, query, Query((new StateGuard(shards_))->release())};
    }

  private:
    // A server without Braid's classes is named now: the caller's get_mset can only show what it
    // says. One exchange.
    void ask_servers() const {
        const auto is_away = [](const ShardIdentity& shard) { return shard.revision == 0; };
        if (std::none_of(shards_.begin(), shards_.end(), is_away)) return;
        Xapian::Enquire enquire(database_);
        enquire.set_query(Query((new StateGuard(shards_))->release()));
        enquire.get_mset(0, 0);
    }

    Xapian::Database database_;
    std::vector<ShardIdentity> shards_;
    StateFollower follower_;
};

Ranking::Ranking(const Xapian::Database& database) : Ranking(database, default_options()) {}
Ranking::Ranking(const Xapian::Database& database, const RankingSetup& options)
    : state_(std::make_unique<State>(database, nullptr, options)) {}
Ranking::Ranking(const Xapian::Database& database, const FusionModel& model)
    : Ranking(database, model, default_options()) {}
Ranking::Ranking(const Xapian::Database& database, const FusionModel& model,
                 const RankingSetup& options)
    : state_(std::make_unique<State>(database, &model, options)) {}
Ranking::~Ranking() = default;
Ranking::Ranking(Ranking&&) noexcept = default;
Ranking& Ranking::operator=(Ranking&&) noexcept = default;

RankedQuery Ranking::apply(Xapian::Enquire& enquire, const Query& query, const QueryUse& use) {
    RankedQuery ranked;
    ranked.query = query;
    ranked.run.path = "Xapian's BM25";
    if (use.relevance_set) {
        ranked.why_not_fused =
            "a relevance set changes BM25's scores, and has no part in the model's";
    } else {
        const SearchPlan plan = state_->plan(request_of(query, use.inputs));
        ranked.why_not_fused = plan.why_not_served;
        if (ranked.why_not_fused.empty()) {
            ranked.query = state_->guarded(plan.query);
            ranked.run = plan.run;
            ranked.calibration = state_->calibration_of(plan);
            ranked.check_at_least = plan.check_at_least;
            if (!plan.run.pruned) {
                const auto weight = state_->weight_for(plan);
                const auto& fused = dynamic_cast<const FusedWeight&>(*weight);
                enquire.set_weighting_scheme(fused.of_marked_queries());
                enquire.set_query(ranked.query, FusedWeight::marked(plan.length));
                return ranked;
            }
        }
    }
    enquire.set_weighting_scheme(Xapian::BM25Weight());
    enquire.set_query(ranked.query);
    return ranked;
}

Query Ranking::query(const Query& query, const QueryInputs& inputs) {
    SearchRequest request = request_of(query, inputs);
    request.path = SearchRequest::Path::kPruned;
    request.documents = false;  // A filter shows matching terms.
    SearchPlan plan = state_->plan(request);
    plan.source->ignore_least();
    plan.joint.reset();  // May stand anywhere.
    plan.matches_by_words = false;
    return state_->guarded(SearchPlanner::query_around(*plan.source, request, plan));
}

}  // namespace braid
