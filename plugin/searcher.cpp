// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/searcher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/lexical/ensemble.h"
#include "braid/plugin/database_conventions.h"
#include "braid/plugin/document_fields.h"
#include "braid/plugin/document_lengths.h"
#include "braid/plugin/explainer.h"
#include "braid/plugin/fused_weight.h"
#include "braid/plugin/query_builder.h"
#include "braid/plugin/snippet.h"
#include "braid/plugin/store/analysis.h"

namespace braid {
namespace {

// A reader survives one commit; at a commit during each of so many searches, batching is missing
// on the writer's side.
constexpr unsigned kMaxReopens = 10;

bool has_document_part(const FusionModel& model) {
    return LexicalEnsemble(model).document_scorer({}) != nullptr;
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
          stemmer(make_stemmer(settings.analysis)) {
        rank_by(FusionModel{});
    }

    void rank_by(const FusionModel& the_model) {
        weight = std::make_unique<FusedWeight>(the_model);
        model = the_model;
        keeps_lengths = has_document_part(the_model);
    }
    void rank_by(const Xapian::Weight& the_weight) {
        weight.reset(the_weight.clone());
        model.reset();
        keeps_lengths = false;
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

  private:
    struct Plan {
        ParsedQuery parsed;
        Xapian::Query query;
        Xapian::termcount length = 0;
    };
    Plan plan(const SearchRequest& request);
    SearchHit hit(const Xapian::MSet& mset, const Xapian::MSetIterator& found,
                  const Xapian::Enquire& enquire, const SearchRequest& request) const;
    void explain(const Plan& plan, std::vector<SearchHit>& hits) const;
};

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
    if (!filters.empty() && !request.query && request.text.empty()) {
        result.query = filter;
        result.parsed.scored = false;
    } else if (!filters.empty()) {
        result.query = {Xapian::Query::OP_FILTER, result.query, filter};
    }
    result.length = scored_length(result.parsed.query);
    if (keeps_lengths) result.query = keep_document_lengths(result.query);
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
        Explainer(database, *model, plan.query, plan.length).explain(docids);
    for (std::size_t i = 0; i < hits.size(); ++i) {
        hits[i].explanation = std::move(explanations[i]);
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
            state_->database.reopen();
        }
    }
}

Xapian::Query Searcher::bag_of_words(const std::string& text) {
    return state_->builder.bag_of_words(text);
}

const Xapian::Database& Searcher::database() const { return state_->database; }
const IndexSettings& Searcher::index_settings() const { return state_->settings; }

}  // namespace braid
