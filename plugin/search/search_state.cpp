// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/search_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/document_fields.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/search/explainer.h"
#include "braid/plugin/search/whole_search.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/tables/record_reader.h"

namespace braid {
namespace {

void set_order(Xapian::Enquire& enquire, const SearchRequest& request) {
    if (request.sort) {
        enquire.set_sort_by_value_then_relevance(request.sort->slot, request.sort->descending);
    }
    if (request.collapse) {
        enquire.set_collapse_key(request.collapse->slot, request.collapse->keep);
    }
}

// Xapian 2.1's collapsing loses groups, and of others it keeps documents that aren't the best.
bool collapses_wrongly(const SearchRequest& request) {
    return kIsXapian2 && request.collapse.has_value();
}

// What the plan says of the run, with the damage that its sources have met.
SearchRun finished(const SearchPlan& plan) {
    SearchRun run = plan.run;
    for (const SourcePart& part : plan.topics) {
        run.counters.damaged += part.damaged_vectors();
        if (part.without_positions) run.counters.without_positions += part.without_positions();
    }
    return run;
}

// What each factor, in the model's order, makes of the sum of all others.
void explain_factors(const SearchPlan& plan, std::vector<RankerExplanation>& rankers) {
    if (plan.factors.empty()) return;
    double score = 0;
    for (const RankerExplanation& ranker : rankers) score += ranker.contribution;
    auto factor = plan.factors.begin();
    for (std::size_t k = 0; k < rankers.size(); ++k) {
        const RankerSpec& spec = plan.model->rankers[k];
        if (!is_factor(spec) || !(spec.weight > 0)) continue;
        const double times = (factor++)->of(rankers[k].value.value_or(0));
        rankers[k].contribution = score * times - score;
        rankers[k].note += fmt::format("{}multiplies the score by {:.6g}",
                                       rankers[k].note.empty() ? "" : "; ", times);
        score *= times;
    }
}

void add_mean_weights(const QueryWeighting& weighting, Explanation& explanation) {
    for (std::size_t k = 0; k < explanation.rankers.size(); ++k) {
        explanation.rankers[k].mean_weight = weighting.mean_weights[k];
    }
}

}  // namespace

SearchState::SearchState(const OpenedDatabases& opened, const SearcherOptions& options)
    : database(opened.database),
      settings(options.index ? *options.index : search_conventions(database)),
      names(options.names ? *options.names : name_convention(database)),
      stemmer(make_stemmer(settings.analysis)),
      sidecars(opened.sidecars),
      limits(options.limits),
      vectors(options.vectors),
      planner(database, sidecars, settings, options.search, options.limits, options.vectors,
              options.postings),
      options_(options) {
    check_sidecars(database, sidecars);
    if (opened.stays) planner.keep_notes();
}

SearchPlanner SearchState::another_planner() const {
    return {database,        sidecars,         settings,         options_.search,
            options_.limits, options_.vectors, options_.postings};
}

// Ranks by one pass, by a first pass and rescoring, or by either, as the request asks.
void SearchState::rank_by(const FusionModel& model) {
    const auto [way, reason] = serving(model, DatabaseRecords::are_in(database));
    const bool always = way == Way::kRescored || way == Way::kPool;
    std::optional<RescoredSearch> twice;
    std::optional<SearchPlanner> first_pass;
    if (always || way == Way::kSource) {
        twice.emplace(rescored_search(model));
        first_pass.emplace(another_planner());
        first_pass->rank_by(twice->first_pass());
    }
    if (!always) planner.rank_by(model);
    first_pass_ = std::move(first_pass);
    rescored_ = std::move(twice);
    always_rescored_ = always;
    one_pass_ = always ? one_pass_form(model) : std::nullopt;
    why_rescored_ = reason;
    set_calibration(model);
    is_ranked_ = true;
}

void SearchState::rank_by(const Xapian::Weight& weight) {
    planner.rank_by(weight);
    first_pass_.reset();
    rescored_.reset();
    calibration_ = {};
    is_ranked_ = true;
}

void SearchState::rank_by_own() {
    if (is_ranked_) return;
    rank_by(load_fusion_model(database, sidecars).value_or(FusionModel{}));
}

void SearchState::set_calibration(const FusionModel& model) {
    calibration_ = model.calibration;
    of_query_ = {};
    bound_weights_.clear();
    if (!calibration_.empty()) bound_weights_ = bound_weights(model);
}

// docs/algorithms/calibration.md (2); 0 if a bound isn't known.
double SearchState::unit_of(std::span<const double> bounds) const {
    if (bound_weights_.empty()) return 1;
    double unit = 0;
    for (std::size_t k = 0; k < bound_weights_.size(); ++k) {
        if (bound_weights_[k] > 0) unit += bound_weights_[k] * bounds[k];
    }
    return std::isfinite(unit) && unit > 0 ? unit : 0;
}

// What the query's words and vectors let a document have at most doesn't depend on the document.
Calibration SearchState::calibration_of(const SearchPlan& plan) const {
    if (calibration_.empty() || !plan.model || !plan.parsed.scored) return {};
    if (bound_weights_.empty()) return calibration_;
    const auto any = database.postlist_begin("");
    if (any == database.postlist_end("")) return {};
    Explanation words;
    try {
        words = Explainer(database, *plan.model, plan.lexical, plan.length, settings.fields)
                    .explain({*any})
                    .front();
    } catch (const Xapian::UnimplementedError&) {
        return {};  // A server doesn't count what a synonym or a wildcard matches.
    }
    std::vector<double> bounds;
    auto lexical = words.rankers.begin();
    auto part = plan.topics.begin();
    for (const RankerSpec& spec : plan.model->rankers) {
        const bool is_lexical = family_of(spec) == RankerFamily::kLexical;
        bounds.push_back(is_lexical ? (lexical++)->bound.value_or(std::nan("")) : (part++)->bound);
    }
    const double unit = unit_of(bounds);
    return unit > 0 ? query_calibration(calibration_, unit) : Calibration{};
}

// Of both limits; 0: none. Infinite: nothing reaches it.
double SearchState::least_score(const SearchRequest& request,
                                const std::shared_ptr<TimeLimit>& limit) {
    if (!(request.min_probability >= 0 && request.min_probability <= 1)) {
        throw InvalidArgument(fmt::format("found {} as the least probability, expected 0 to 1",
                                          request.min_probability));
    }
    if (calibration_.empty()) {
        throw InvalidArgument(
            "results by their probability of relevance need a model with a calibration, which "
            "`braid train` makes where it has --folds or --vali");
    }
    SearchRequest first = request;  // What this query's scores mean.
    first.min_probability = first.min_score = 0;
    first.first = 0;
    first.count = 1;
    first.documents = first.explain = false;
    first.spies.clear();
    run_ranked(first, limit);
    if (of_query_.empty()) return request.min_score;
    double least = of_query_.least_score(request.min_probability);
    if (std::isinf(least) && least < 0) return request.min_score;
    if (least == 0) least = std::numeric_limits<double>::min();
    return request.min_score > 0 ? std::max(request.min_score, least) : least;
}

RescoredSearch SearchState::rescored_search(const FusionModel& model) const {
    return {database,
            model,
            {.query_stemmer = make_query_stemmer(settings.analysis),
             .sidecars = sidecars,
             .tables = vectors,
             .limits = limits}};
}

void SearchState::require_one_pass() {
    if (!is_ranked_) {
        const auto model = load_fusion_model(database, sidecars);
        if (!model) {
            throw ModelMismatch(
                "the database has no installed model; install one by `braid adopt --db DB "
                "--install`, or name a model");
        }
        rank_by(*model);
    }
    if (!always_rescored_) return;
    if (one_pass_) {
        const FusionModel linear = std::move(*one_pass_);
        rank_by(linear);
        return;
    }
    throw ModelMismatch(why_rescored_ + "; Searcher ranks by it, in two passes");
}

SearchResult SearchState::run(const SearchRequest& request,
                              const std::shared_ptr<TimeLimit>& limit) {
    rank_by_own();
    if (request.min_probability == 0) return run_ranked(request, limit);
    SearchRequest by_score = request;
    by_score.min_score = least_score(request, limit);
    const bool abstains = std::isinf(by_score.min_score);
    if (abstains) by_score.min_score = 0;
    SearchResult result = run_ranked(by_score, limit);
    if (!abstains) return result;
    result.hits.clear();
    result.matches = result.matches_at_least = result.matches_at_most = 0;
    return result;
}

SearchResult SearchState::run_ranked(const SearchRequest& request,
                                     const std::shared_ptr<TimeLimit>& limit) {
    SearchPlan planned;
    const std::size_t page_end = std::size_t{request.first} + request.count;
    const bool is_by_score = !request.sort && !request.collapse && request.spies.empty() &&
                             request.check_at_least <= page_end;
    const std::size_t best = is_by_score ? page_end : 0;
    if (!rescored_ || !always_rescored_) planned = planner.plan(request, limit, best);
    const bool by_first_pass = rescored_ && (always_rescored_ || !planned.why_not_served.empty());
    if (by_first_pass) planned = first_pass_->plan(request, limit_of_pass(limit));
    const bool twice = by_first_pass && planned.parsed.scored && !planned.parsed.query.empty();
    of_query_ = twice ? Calibration{} : calibration_of(planned);
    if (twice && request.sort) {
        throw InvalidArgument(
            "found results sorted by a value, expected by score: the model rescores the best of a "
            "first pass; drop the sort, or rank by a model that one pass serves");
    }
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(*(by_first_pass ? *first_pass_ : planner).weight_for(planned));
    enquire.set_query(planned.query, planned.length);
    set_order(enquire, request);
    const bool loses = request.min_score > 0 && may_lose_matches(planned.query);
    const bool is_chosen = !planned.run.pruned && (loses || !may_prune(planned.query));
    if (!twice && (is_chosen || collapses_wrongly(request))) {
        return run_whole(request, planned, enquire);
    }
    if (collapses_wrongly(request)) {  // run_twice collapses.
        enquire.set_collapse_key(request.collapse->slot, database.get_doccount() + 1);
    }
    if (!twice && request.min_score > 0) enquire.set_cutoff(0, request.min_score);
    for (Xapian::MatchSpy* spy : request.spies) enquire.add_matchspy(spy);
    const auto last = static_cast<Xapian::doccount>(
        std::min<std::size_t>(page_end, std::numeric_limits<Xapian::doccount>::max()));
    const HybridSearch hybrid(enquire, request, planned);
    const Xapian::MSet mset =
        twice ? hybrid.run(0, safe_count(database, planned.query, std::max(last, request.window)))
              : hybrid.run(request.first, request.count);

    SearchResult result;
    result.matches = mset.get_matches_estimated();
    result.matches_at_least = mset.get_matches_lower_bound();
    result.matches_at_most = mset.get_matches_upper_bound();
    result.query = planned.query;
    result.run = finished(planned);
    result.corrected = planned.parsed.corrected;
    result.doubts = planned.parsed.doubts;
    if (twice) {
        run_twice(request, planned, enquire, mset, limit, result);
        return result;
    }
    for (auto found = mset.begin(); found != mset.end(); ++found) {
        result.hits.push_back(hit(mset, found, enquire, request));
    }
    if (request.explain && planned.parsed.scored) explain(planned, result.hits);
    return result;
}

// For queries that Xapian must not prune.
SearchResult SearchState::run_whole(const SearchRequest& request, const SearchPlan& plan,
                                    Xapian::Enquire& enquire) const {
    const WholeSearch whole(database, enquire, request);
    SearchResult result;
    result.matches = result.matches_at_least = result.matches_at_most = whole.results();
    result.query = plan.query;
    result.run = finished(plan);
    result.run.path += "; every match is scored, and results are chosen afterwards";
    if (result.run.pruned) {
        result.run.counters = plan.source->counters();
        result.run.pruned = false;
        result.run.why_not_pruned = "Xapian 2 collapses to other documents than the best";
    }
    result.corrected = plan.parsed.corrected;
    result.doubts = plan.parsed.doubts;
    for (const WholeSearch::Entry& entry : whole.page()) {
        SearchHit found = hit(whole.matches(), whole.matches()[entry.place], enquire, request);
        found.rank = static_cast<Xapian::doccount>(request.first + result.hits.size() + 1);
        found.collapsed = entry.collapsed;
        result.hits.push_back(std::move(found));
    }
    if (request.explain && plan.parsed.scored) explain(plan, result.hits);
    return result;
}

// The page of `result` that the request is for, out of a first pass from its beginning on.
void SearchState::run_twice(const SearchRequest& request, const SearchPlan& plan,
                            const Xapian::Enquire& enquire, const Xapian::MSet& mset,
                            const std::shared_ptr<TimeLimit>& limit, SearchResult& result) {
    const RescoredList list =
        rescored_->run(plan.words, mset, request.window, request.inputs, limit);
    result.run.path += rescored_->path(list);
    result.run.rescored = list.pool.rows();
    result.run.counters.damaged += list.scores.damaged.size();
    if (rescored_->weighting()) {
        result.run.weighting_milliseconds = rescored_->weighting()->milliseconds;
        result.run.weighting_documents = rescored_->weighting()->first_pass;
    }
    result.run.rescoring_milliseconds = list.milliseconds;
    if (!calibration_.empty() && !list.stopped && !list.entries.empty()) {
        const double unit = unit_of(list.scores.rows.bounds);
        if (unit > 0) of_query_ = query_calibration(calibration_, unit);
    }
    const ScoreParts parts = request.explain ? rescored_->parts(list) : ScoreParts{};
    std::map<std::string, Xapian::doccount> of_value;
    const auto is_collapsed = [&](Xapian::doccount place) {
        if (!collapses_wrongly(request)) return false;
        const std::string value = mset[place].get_collapse_key();
        return !value.empty() && ++of_value[value] > request.collapse->keep;
    };
    std::size_t rank = 0;
    for (const RescoredList::Entry& entry : list.entries) {
        const auto place = static_cast<Xapian::doccount>(entry.first_place);
        if (is_collapsed(place)) continue;
        if (++rank <= request.first) continue;
        if (rank - request.first > request.count) break;
        // A first pass's score says nothing of whether the document reaches the least one.
        // It can be below 0, where a probability asks for it.
        if (request.min_score != 0 && (list.stopped || entry.score < request.min_score)) break;
        SearchHit found = hit(mset, mset[place], enquire, request);
        found.rank = static_cast<Xapian::doccount>(rank);
        found.score = entry.score;
        found.probability.reset();
        if (!of_query_.empty() && entry.row != RescoredList::kNoRow) {
            found.probability = of_query_.probability(entry.score);
        }
        if (request.explain) {
            found.explanation = rescored_->explain(list, parts, entry);
            found.explanation->path = result.run.path;
        }
        result.hits.push_back(std::move(found));
    }
}

SearchHit SearchState::hit(const Xapian::MSet& mset, const Xapian::MSetIterator& found,
                           const Xapian::Enquire& enquire, const SearchRequest& request) const {
    SearchHit hit;
    hit.rank = found.get_rank() + 1;
    hit.docid = *found;
    hit.score = found.get_weight();
    if (!of_query_.empty()) hit.probability = of_query_.probability(hit.score);
    hit.percent = found.get_percent();
    hit.collapsed = found.get_collapse_count();
    // Within a shard a document has another number, which is not its name.
    const bool by_docid = names.kind == DocumentNameSource::Kind::kDocid;
    const Xapian::Document document =
        by_docid && !request.documents ? Xapian::Document() : found.get_document();
    if (!by_docid) hit.name = document_name(document, names);
    if (hit.name.empty()) hit.name = std::to_string(hit.docid);
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

void SearchState::explain(const SearchPlan& plan, std::vector<SearchHit>& hits) const {
    std::vector<Explanation> explanations(hits.size());
    if (plan.model) {
        std::vector<Xapian::docid> docids;
        docids.reserve(hits.size());
        for (const SearchHit& hit : hits) docids.push_back(hit.docid);
        explanations = Explainer(database, *plan.model, plan.lexical, plan.length, settings.fields)
                           .explain(docids);
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
        if (plan.weighting) add_mean_weights(*plan.weighting, *hits[i].explanation);
    }
}

// Puts the topic rankers between the lexical ones, in the model's order.
void SearchState::explain_topics(const SearchPlan& plan, SearchHit& hit) const {
    std::vector<RankerExplanation> rankers;
    auto lexical = hit.explanation->rankers.begin();
    auto part = plan.topics.begin();
    for (const RankerSpec& spec : plan.model->rankers) {
        if (family_of(spec) == RankerFamily::kLexical) {
            rankers.push_back(std::move(*lexical++));
        } else {
            rankers.push_back(planner.explain(*part++, hit.docid));
        }
    }
    explain_factors(plan, rankers);
    hit.explanation->rankers = std::move(rankers);
}

}  // namespace braid
