// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/searcher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/lexical/ensemble.h"
#include "braid/core/models/model_parts.h"
#include "braid/plugin/database_conventions.h"
#include "braid/plugin/document_fields.h"
#include "braid/plugin/document_lengths.h"
#include "braid/plugin/explainer.h"
#include "braid/plugin/fused_weight.h"
#include "braid/plugin/query_builder.h"
#include "braid/plugin/snippet.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/model_store.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/topic_ranking.h"

namespace braid {
namespace {

// A reader survives one commit; at a commit during each of so many searches, batching is missing
// on the writer's side.
constexpr unsigned kMaxReopens = 10;

// BM25 where nothing lexical counts: it weighs nothing then, but Xapian's BoolWeight would keep
// posting sources from counting, too.
FusionModel served_by_postings(const FusionModel& model) {
    FusionModel lexical = lexical_part(model);
    return has_weight(lexical) ? lexical : FusionModel{};
}

bool has_document_part(const FusionModel& lexical) {
    return LexicalEnsemble(lexical).document_scorer({}) != nullptr;
}

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
          builder(settings, options.search),
          names(options.names ? *options.names : name_convention(database)),
          stemmer(make_stemmer(settings.analysis)),
          candidates(options.search.candidates),
          sidecars(options.sidecars) {
        check_sidecars(database, sidecars);
        rank_by_own_model();
    }

    void rank_by(const FusionModel& the_model) {
        validate(the_model);
        const FusionModel lexical = served_by_postings(the_model);
        weight = std::make_unique<FusedWeight>(lexical);
        model = the_model;
        keeps_lengths = has_document_part(lexical);
        topics.reset();
        ranks_by_own_model = false;
    }
    void rank_by(const Xapian::Weight& the_weight) {
        weight.reset(the_weight.clone());
        model.reset();
        keeps_lengths = false;
        topics.reset();
        ranks_by_own_model = false;
    }
    void reopen() {
        database.reopen();
        for (Xapian::Database& sidecar : sidecars) sidecar.reopen();
        topics.reset();
        if (ranks_by_own_model) rank_by_own_model();
    }

    SearchResult run(const SearchRequest& request);

    Xapian::Database database;
    IndexSettings settings;
    QueryBuilder builder;
    DocumentNameSource names;
    Xapian::Stem stemmer;
    std::unique_ptr<Xapian::Weight> weight;
    std::optional<FusionModel> model;  ///< What `weight` was made of, if it was.
    bool keeps_lengths = false;
    bool ranks_by_own_model = false;
    SearchSettings::Candidates candidates;
    std::vector<Xapian::Database> sidecars;

  private:
    struct Plan {
        ParsedQuery parsed;
        std::vector<TopicPart> topics;
        Xapian::Query lexical;  ///< What is run, without topics.
        Xapian::Query query;    ///< What is run.
        Xapian::termcount length = 0;
    };
    void rank_by_own_model();
    Plan plan(const SearchRequest& request);
    void add_topics(const SearchRequest& request, Plan& plan);
    SearchHit hit(const Xapian::MSet& mset, const Xapian::MSetIterator& found,
                  const Xapian::Enquire& enquire, const SearchRequest& request) const;
    void explain(const Plan& plan, std::vector<SearchHit>& hits) const;
    void explain_topics(const Plan& plan, SearchHit& hit) const;

    std::optional<TopicRanking> topics;  ///< Of the database as it is open now, once needed.
};

void Searcher::State::rank_by_own_model() {
    std::optional<FusionModel> own = load_fusion_model(database);
    if (!own && !sidecars.empty()) own = load_fusion_model(sidecars.front());
    rank_by(own.value_or(FusionModel{}));
    ranks_by_own_model = true;
}

// Puts the topic sources beside plan.query, and what to explain the lexical rankers by into
// plan.lexical.
void Searcher::State::add_topics(const SearchRequest& request, Plan& plan) {
    plan.lexical = plan.query;
    if (!model || !plan.parsed.scored || topic_part(*model).rankers.empty()) return;
    if (!topics) {
        const bool stems = settings.analysis.stemming != AnalysisSettings::Stemming::kNone;
        topics.emplace(database, sidecars, *model, stems ? stemmer : Xapian::Stem());
    }
    plan.topics = topics->prepare(plan.query, request.explain);
    const SearchSettings::Candidates wanted = request.candidates.value_or(candidates);
    const bool lexical = has_weight(lexical_part(*model));
    plan.query = TopicRanking::join(plan.query, plan.topics, wanted, lexical, keeps_lengths);
    if (wanted == SearchSettings::Candidates::kAll) {
        plan.lexical = {Xapian::Query::OP_AND_MAYBE, Xapian::Query::MatchAll, plan.lexical};
    }
}

Searcher::State::Plan Searcher::State::plan(const SearchRequest& request) {
    Plan result;
    if (request.query) {
        result.parsed.query = *request.query;
    } else {
        result.parsed = builder.parse(request.text, database);
    }
    std::vector<Xapian::Query> filters;
    for (const std::string& filter : request.filters) {
        filters.push_back(builder.parse(filter, database).query);
    }
    if (request.filter) filters.push_back(*request.filter);
    const Xapian::Query filter(Xapian::Query::OP_AND, filters.begin(), filters.end());
    result.query = result.parsed.query;
    const bool only_filters = !filters.empty() && !request.query && request.text.empty();
    if (only_filters) {
        result.query = filter;
        result.parsed.scored = false;
    }
    add_topics(request, result);
    if (!filters.empty() && !only_filters) {
        result.query = {Xapian::Query::OP_FILTER, result.query, filter};
        result.lexical = {Xapian::Query::OP_FILTER, result.lexical, filter};
    }
    result.length = scored_length(result.parsed.query);
    if (keeps_lengths) result.query = keep_document_lengths(result.query);
    if (keeps_lengths) result.lexical = keep_document_lengths(result.lexical);
    return result;
}

SearchResult Searcher::State::run(const SearchRequest& request) {
    const Plan planned = plan(request);
    Xapian::Enquire enquire(database);
    if (planned.parsed.scored) {
        enquire.set_weighting_scheme(*weight);
    } else {
        enquire.set_weighting_scheme(Xapian::BoolWeight());
    }
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

void Searcher::State::explain(const Plan& plan, std::vector<SearchHit>& hits) const {
    if (!model) {
        for (SearchHit& hit : hits) {
            hit.explanation.emplace();
            hit.explanation->path = "one pass over the postings (" + weight->name() + ")";
            hit.explanation->rankers.push_back({.label = weight->name(),
                                                .ranker = weight->name(),
                                                .formula = {},
                                                .weight = 1,
                                                .value = hit.score,
                                                .contribution = hit.score});
        }
        return;
    }
    std::vector<Xapian::docid> docids;
    for (const SearchHit& hit : hits) docids.push_back(hit.docid);
    std::vector<Explanation> explanations =
        Explainer(database, *model, plan.lexical, plan.length).explain(docids);
    for (std::size_t i = 0; i < hits.size(); ++i) {
        hits[i].explanation = std::move(explanations[i]);
        if (!plan.topics.empty()) explain_topics(plan, hits[i]);
    }
}

// Puts the topic rankers between the lexical ones, in the model's order.
void Searcher::State::explain_topics(const Plan& plan, SearchHit& hit) const {
    Explanation& explanation = *hit.explanation;
    std::vector<RankerExplanation> rankers;
    auto lexical = explanation.rankers.begin();
    auto part = plan.topics.begin();
    bool postings = false;
    std::string sources;
    for (const RankerSpec& spec : model->rankers) {
        if (family_of(spec) == RankerFamily::kLexical) {
            rankers.push_back(std::move(*lexical++));
            postings = postings || spec.weight > 0;
            continue;
        }
        rankers.push_back(topics->explain(*part++, hit.docid));
        if (spec.weight > 0) sources += (sources.empty() ? "" : ", ") + spec.label();
    }
    explanation.rankers = std::move(rankers);
    if (!sources.empty()) {
        explanation.path = postings ? explanation.path + ", and documents' vectors beside them ("
                                    : "documents' vectors beside the matching postings (";
        explanation.path += sources + ")";
    }
}

Searcher::Searcher(const Xapian::Database& database, const SearcherOptions& options)
    : state_(std::make_unique<State>(database, options)) {}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;

void Searcher::rank_by(const FusionModel& model) { state_->rank_by(model); }
void Searcher::rank_by(const Xapian::Weight& weight) { state_->rank_by(weight); }

SearchResult Searcher::search(const SearchRequest& request) {
    for (unsigned reopened = 0;; ++reopened) {
        try {
            SearchResult result = state_->run(request);
            result.reopened = reopened;
            return result;
        } catch (const Xapian::DatabaseModifiedError&) {
            if (reopened == kMaxReopens) {
                throw Error(fmt::format(
                    "the database changed during each of {} searches; writers should commit "
                    "less often, in larger batches",
                    kMaxReopens + 1));
            }
            state_->reopen();
        }
    }
}

Xapian::Query Searcher::bag_of_words(const std::string& text) {
    return state_->builder.bag_of_words(text);
}

const Xapian::Database& Searcher::database() const { return state_->database; }
const IndexSettings& Searcher::index_settings() const { return state_->settings; }

}  // namespace braid
