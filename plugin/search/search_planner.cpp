// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/search_planner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "braid/core/model/ensemble.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/plugin/database/document_fields.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/query/repaired_query.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/ranking/document_parts.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/tables/record_reader.h"
#include "braid/weight.h"

namespace braid {
namespace {

using Query = Xapian::Query;

// BM25 where nothing lexical counts: it weighs nothing then, but Xapian's BoolWeight would keep
// posting sources from counting, too.
FusionModel served_by_postings(const FusionModel& model) {
    FusionModel lexical = lexical_part(model);
    return has_weight(lexical) ? lexical : FusionModel{};
}

// The rankers that count for which `holds`, for a sentence.
template <typename Condition>
std::string names_of(const std::vector<SourcePart>& parts, const Condition& holds) {
    std::string names;
    for (const SourcePart& part : parts) {
        if (part.source.empty() || !holds(part)) continue;
        names += (names.empty() ? "" : ", ") + part.spec.label();
    }
    return names;
}

std::string names_of_vectors(const std::vector<SourcePart>& parts) {
    return names_of(parts, [](const SourcePart& part) { return part.finds(); });
}

std::string with_values_and_places(const std::vector<SourcePart>& parts) {
    const std::string values = names_of(
        parts, [](const auto& part) { return !part.finds() && !part.proximity.has_value(); });
    const std::string places =
        names_of(parts, [](const auto& part) { return part.proximity.has_value(); });
    std::string text;
    if (!places.empty()) text += fmt::format(", and words' positions ({})", places);
    if (!values.empty()) text += fmt::format(", and documents' values beside ({})", values);
    std::string factors;
    for (const SourcePart& part : parts) {
        if (!part.factor || !(part.factor->weight > 0)) continue;
        factors += (factors.empty() ? "" : ", ") + part.spec.label();
    }
    if (!factors.empty()) text += fmt::format(", multiplied ({})", factors);
    return text;
}

// What the first passes took of rankers that learn from them.
void add_feedback(SearchPlan& plan) {
    std::string names;
    for (const SourcePart& part : plan.topics) {
        if (part.feedback.empty()) continue;
        ++plan.run.feedback_passes;
        plan.run.feedback_milliseconds += part.feedback_milliseconds;
        names += (names.empty() ? "" : ", ") + part.spec.label();
    }
    if (names.empty()) return;
    plan.run.path += fmt::format("; before it first passes for feedback ({}) in {:.2f} ms", names,
                                 plan.run.feedback_milliseconds);
}

Query filtered(const SearchPlan& plan, const Query& query) {
    return plan.filter ? Query(Query::OP_FILTER, query, *plan.filter) : query;
}

}  // namespace

SearchPlanner::SearchPlanner(const Xapian::Database& database,
                             const std::vector<Xapian::Database>& sidecars,
                             const IndexSettings& index, const SearchSettings& search,
                             const Limits& limits, std::shared_ptr<VectorTables> tables,
                             std::shared_ptr<PostingTables> postings)
    : database_(database),
      sidecars_(sidecars),
      limits_(limits),
      builder_(index, search, limits),
      fields_(index.fields),
      stemmer_(make_query_stemmer(index.analysis)),
      candidates_(search.candidates),
      clusters_visited_(search.clusters_visited),
      tables_(std::move(tables)),
      postings_(std::move(postings)) {}

// Changes nothing where it throws.
void SearchPlanner::rank_by(const FusionModel& model) {
    validate(model);
    Serving how = serving(model, DatabaseRecords::are_in(database_));
    if (how.way != Way::kWeight && how.way != Way::kSource) throw ModelMismatch(how.reason);
    std::optional<QueryWeights> query_weights;
    FusionModel weighted = model;
    if (weighs_by_query(model)) {
        query_weights.emplace(database_, model,
                              PoolScorerOptions{.query_stemmer = stemmer_,
                                                .sidecars = sidecars_,
                                                .tables = tables_,
                                                .limits = limits_});
        weighted.function = {};  // Any ranker may count.
    }
    FusionModel lexical = served_by_postings(weighted);
    if (how.way == Way::kSource) {
        field_collections(database_, scored_fields(lexical));
        for (const std::string& names : blended_fields(lexical)) make_blend(names, fields_);
    }
    const bool keeps_lengths = has_document_part(lexical);
    if (how.way == Way::kSource) lexical = {};
    model_ = std::make_shared<const FusionModel>(model);
    query_weights_ = std::move(query_weights);
    weight_.reset();
    lexical_ = std::move(lexical);
    why_not_plain_ = std::move(how.reason);
    keeps_lengths_ = keeps_lengths;
    topics_.reset();
}

void SearchPlanner::rank_by(const Xapian::Weight& weight) {
    weight_.reset(weight.clone());
    why_not_plain_ = "";
    model_.reset();
    query_weights_.reset();
    keeps_lengths_ = false;
    topics_.reset();
}

const Xapian::Weight& SearchPlanner::weight() const {
    if (weight_ == nullptr) weight_ = std::make_unique<FusedWeight>(lexical_);
    return *weight_;
}

void SearchPlanner::parse(const SearchRequest& request, SearchPlan& plan) {
    if (request.query) {
        check_query(*request.query, limits_);
        plan.parsed.query = *request.query;
    } else {
        plan.parsed = builder_.parse(request.text, database_);
    }
    std::vector<Query> filters;
    for (const std::string& filter : request.filters) {
        ParsedQuery parsed = builder_.parse(filter, database_);
        filters.push_back(parsed.query);
        for (const std::string& doubt : parsed.doubts) {
            plan.parsed.doubts.push_back(fmt::format("filter '{}': {}", filter, doubt));
        }
    }
    if (request.filter) {
        check_query(*request.filter, limits_);
        filters.push_back(*request.filter);
    }
    if (filters.empty()) return;
    plan.filter = Query(Query::OP_AND, filters.begin(), filters.end());
    if (request.query || !request.text.empty()) return;
    plan.parsed.query = *std::exchange(plan.filter, std::nullopt);
    plan.parsed.scored = false;
}

SourceRanking& SearchPlanner::sources(const SearchPlan& plan) {
    if (!topics_) {
        topics_.emplace(database_, sidecars_, *model_, stemmer_, fields_);
        topics_->use_tables(tables_);
        topics_->use_postings(postings_);
    }
    topics_->stop_at(plan.limit);
    return *topics_;
}

void SearchPlanner::add_weights(const SearchRequest& request, SearchPlan& plan) {
    plan.model = model_;
    if (!query_weights_ || !plan.parsed.scored) return;
    query_weights_->stop_at(plan.limit);
    plan.weighting = query_weights_->of(plan.parsed.query, request.inputs, sources(plan));
    plan.model = std::make_shared<const FusionModel>(std::move(plan.weighting->model));
    sources(plan).weigh_as(*plan.model);
    plan.run.weighting_milliseconds = plan.weighting->milliseconds;
    plan.run.weighting_documents = plan.weighting->first_pass;
}

void SearchPlanner::add_topics(const SearchRequest& request, SearchPlan& plan) {
    if (!model_ || !plan.parsed.scored || source_part(*model_).rankers.empty()) return;
    plan.topics = sources(plan).prepare(plan.words, request.explain, request.inputs);
    plan.factors = sources(plan).factors();
    for (const SourcePart& part : plan.topics) {
        if (!part.doubt.empty()) plan.parsed.doubts.push_back(part.doubt);
    }
}

SearchPlan SearchPlanner::plan(const SearchRequest& request,
                               const std::shared_ptr<TimeLimit>& limit, std::size_t best) {
    SearchPlan plan;
    plan.limit = limit;
    plan.best = best;
    parse(request, plan);
    plan.parsed.query = drop_idle_parts(plan.parsed.query);
    if (plan.filter) plan.filter = drop_idle_parts(*plan.filter);
    plan.words = filtered(plan, plan.parsed.query);
    plan.lexical = plan.words;
    plan.length = scored_length(plan.parsed.query);
    add_weights(request, plan);
    add_topics(request, plan);
    plan.run.why_not_pruned = why_not_pruned(request, plan);
    plan.run.pruned = plan.run.why_not_pruned.empty();
    if (request.path == SearchRequest::Path::kPruned && !plan.run.pruned) {
        throw InvalidArgument("search by pruning: " + plan.run.why_not_pruned);
    }
    if (!plan.run.pruned && plan.parsed.scored && !why_not_plain_.empty()) {
        plan.why_not_served = fmt::format("{}; but that can't run this search: {}", why_not_plain_,
                                          plan.run.why_not_pruned);
        return plan;
    }
    plan.check_at_least = request.check_at_least;
    plan.query = plan.run.pruned ? pruning_query(request, plan) : plain_query(request, plan);
    add_feedback(plan);
    if (plan.weighting) plan.run.path += plan.weighting->in_words();
    return plan;
}

std::string SearchPlanner::why_not_pruned(const SearchRequest& request,
                                          const SearchPlan& plan) const {
    if (request.path == SearchRequest::Path::kPlain) return "the request says so";
    if (!model_) return fmt::format("{} ranks, which is no fusion model", weight().name());
    if (!plan.parsed.scored) return "the query has nothing to score by";
    if (!may_prune(plan.words)) return "Xapian can't prune around XOR and OP_MAX";
    for (const SourcePart& part : plan.topics) {
        if (!part.finds()) continue;
        std::string reason = why_not_candidates(request, plan);
        if (!reason.empty()) return reason;
        // Documents that match words, and those of JointSource, can have a part of their score from
        // beside.
        if (candidates_for(request) != Candidates::kHybrid) continue;
        reason = why_not_served(Server::kSource, part.spec);
        if (!reason.empty()) return reason;
    }
    if (!plan.factors.empty() && !finds_by_words(request, plan)) {
        return "factors multiply the score of documents that have a word of the query, and others "
               "are to be found, too";
    }
    const Query text = scored_part(plan.words);
    return FusedSource::why_not(summed_words(request, plan).value_or(text), *plan.model);
}

bool SearchPlanner::finds_by_words(const SearchRequest& request, const SearchPlan& plan) const {
    return candidates_for(request) == Candidates::kWords ||
           std::none_of(plan.topics.begin(), plan.topics.end(),
                        [](const SourcePart& part) { return part.finds(); });
}

// The words of a query that FusedSource scores, but that finds documents by itself.
std::optional<Query> SearchPlanner::summed_words(const SearchRequest& request,
                                                 const SearchPlan& plan) const {
    if (!finds_by_words(request, plan)) return std::nullopt;
    return words_of_sum(scored_part(plan.words));
}

// Why no source that prunes can find the documents that the request is for.
std::string SearchPlanner::why_not_candidates(const SearchRequest& request,
                                              const SearchPlan& plan) const {
    if (candidates_for(request) == Candidates::kWords) return "";
    const bool is_all = candidates_for(request) == Candidates::kAll;
    if (request.sort || request.collapse || !request.spies.empty() ||
        request.check_at_least > std::size_t{request.first} + request.count) {
        return is_all ? "sorting, collapsing, counting and facets look at all documents"
                      : "sorting, collapsing, counting and facets look at all documents of similar "
                        "topics, and clusters bring only the best";
    }
    return is_all ? why_not_every(plan) : "";
}

// Why a JointSource can't find documents without a word of the query.
std::string SearchPlanner::why_not_every(const SearchPlan& plan) const {
    const Query text = scored_part(plan.words);
    if (text.get_type() != plan.words.get_type()) {
        return "candidates are all documents that a filter passes, and the source that finds any "
               "document doesn't know which";
    }
    if (keeps_lengths_) {
        return "candidates are all documents, and a ranker of words gives a document a score for "
               "its length alone";
    }
    const bool lacks_word =
        text.get_type() == Query::OP_AND &&
        std::any_of(text.get_terms_begin(), text.get_terms_end(),
                    [&](const std::string& term) { return database_.get_termfreq(term) == 0; });
    for (const SourcePart& part : plan.topics) {
        if (lacks_word && part.of_all_words) {
            return fmt::format(
                "candidates are all documents, no document has all words of the query, and {} "
                "counts those that any document has",
                part.spec.label());
        }
        if (part.proximity) {
            return fmt::format("candidates are all documents, and {} looks at places of words",
                               part.spec.label());
        }
        if (!part.finds() || part.fused || part.is_joint()) continue;
        return fmt::format("candidates are all documents, and nothing bounds what {} gives one",
                           part.spec.label());
    }
    if (notes_.on_servers(database_)) {
        return "candidates are all documents, and these are on servers, or in memory";
    }
    return "";
}

// Servers know the parts apart.
void SearchPlanner::add_joint(const SourceInputs& inputs, bool every, SearchPlan& plan) const {
    if (!plan.factors.empty() || notes_.on_servers(database_)) return;
    FusionModel with_all = *plan.model;
    std::vector<std::shared_ptr<const DocumentSource>> late;
    bool any_of_all = false;
    BoundsWanted wanted{.every = every, .best = plan.best, .limit = plan.limit};
    for (const SourcePart& part : plan.topics) {
        const bool is_beside = part.is_beside() && !part.is_joint();
        if (is_beside) wanted.beside += part.spec.weight * part.bound;
        if (part.late != nullptr) late.push_back(part.late);
        if (!part.of_all_words) continue;
        any_of_all = true;
        with_all.rankers.push_back(
            {.ranker = "bm25", .name = "bm25 of " + part.spec.label(), .weight = part.spec.weight});
    }
    if (late.empty() && !any_of_all && !every) return;
    std::unique_ptr<FusedSource> all;
    if (any_of_all) {
        SourceInputs others = inputs;
        others.bag = all_words_of(inputs.bag);
        // What looks at pairs of the query's words looks at all of them, and an AND finds nothing
        // where no document has one of them.
        const bool lacks_words = others.bag.terms.size() < inputs.bag.terms.size();
        if (lacks_words && (inputs.bag.all || !inputs.proximities.empty())) return;
        all = make_source(with_all, others, plan);
        all->count_with(*plan.source);
    }
    plan.joint = std::make_unique<JointSource>(*plan.source, all.get(), late, wanted);
}

std::unique_ptr<FusedSource> SearchPlanner::make_source(const FusionModel& model,
                                                        const SourceInputs& inputs,
                                                        const SearchPlan& plan) const {
    auto source = std::make_unique<FusedSource>(model, inputs.bag, inputs.topics, sidecars_,
                                                inputs.proximities);
    if (tables_ != nullptr) source->use_tables(tables_);
    if (postings_ != nullptr) source->use_postings(postings_);
    source->stop_at(plan.limit);
    return source;
}

// What explains the lexical rankers must find what clusters bring, too.
void SearchPlanner::add_finding(const SearchRequest& request, SearchPlan& plan) const {
    if (candidates_for(request) != SearchSettings::Candidates::kHybrid) return;
    if (finds_by_words(request, plan)) return;
    plan.finding.emplace();
    plan.finding->most_clusters = request.clusters_visited.value_or(clusters_visited_);
    plan.run.path += "; before it one for those without its words, by clusters of vectors";
    find_without_words(plan);
}

void SearchPlanner::find_without_words(SearchPlan& plan) const {
    const Query all(Query::OP_AND_MAYBE, Query(std::string()), scored_part(plan.words));
    plan.lexical = with_scored_part(plan.words, all);
}

Query SearchPlanner::query_around(const FusedSource& source, const SearchRequest& request,
                                  const SearchPlan& plan) {
    const Query text = scored_part(plan.words);
    // Xapian 1.4 gives only weights wrongly, and here the source alone gives one.
    const auto repair = [](const Query& query) {
        return kIsXapian2 ? keep_phrases_apart(query) : query;
    };
    const Query around = repair(with_scored_part(plan.words, Query(std::string())));
    const bool joint = plan.joint != nullptr;
    Query root =
        joint ? Query(plan.joint->clone()->release()) : boosted_query(source.clone(), plan.factors);
    if (!plan.matches_by_words) {
        const Query matches = drop_idle_parts({Query::OP_FILTER, Query(std::string()), text});
        root = {Query::OP_FILTER, root, repair(subqueries(matches).back())};
    }
    // Around the filters: of a filtered OP_AND_MAYBE to the right of an OP_AND_NOT Xapian 1.4
    // compares weights that it never set (docs/trust.md, faults of Xapian).
    Query found = SourceRanking::with_others(with_scored_part(around, root), plan.topics, joint);
    // A filter shows matching terms and snippets, but for the optional words that it drops.
    const bool shows_terms = !plan.matches_by_words && !has_part(text, [](const Query& part) {
        return part.get_type() == Query::OP_AND_MAYBE;
    });
    if (!request.documents || shows_terms) return found;
    // What shows them else. It matches nothing, so that Xapian drops it from the running query, and
    // what is optional below the factor 0 it doesn't open.
    const Query shown(Query::OP_AND_MAYBE, Query((new NeverSource)->release()), text);
    return {Query::OP_AND_MAYBE, found, Query(Query::OP_SCALE_WEIGHT, shown, 0)};
}

Query SearchPlanner::pruning_query(const SearchRequest& request, SearchPlan& plan) const {
    const std::optional<Query> sum = summed_words(request, plan);
    plan.matches_by_words = !sum;
    const Query text = sum.value_or(scored_part(plan.words));
    SourceInputs inputs;
    for (const SourcePart& part : plan.topics) {
        if (part.finds() && part.fused) inputs.topics.push_back(*part.fused);
        if (part.proximity) inputs.proximities.push_back(*part.proximity);
    }
    plan.run.path = "one pass that gives up documents once they can't be results (FusedSource)";
    if (sum) plan.run.path += ", of documents that the query finds";
    if (const std::string names = names_of_vectors(plan.topics); !names.empty()) {
        plan.run.path += fmt::format(", with documents' vectors ({})", names);
    }
    plan.run.path += with_values_and_places(plan.topics);
    const auto fields = field_collections(database_, scored_fields(*plan.model));
    inputs.bag = read_bag_of_words(database_, text, fields, notes_);
    for (const std::string& names : blended_fields(*plan.model)) {
        inputs.bag.blends.push_back(make_blend(names, fields_));
    }
    plan.source = make_source(*plan.model, inputs, plan);
    // A scored part has no filter at its root.
    const bool is_filtered = sum || text.get_type() != plan.words.get_type();
    if (is_filtered) plan.source->expect_filter();
    const bool by_words = finds_by_words(request, plan);
    const bool every = !by_words && candidates_for(request) == Candidates::kAll;
    if (every) {
        plan.run.path += ", of all documents";
        find_without_words(plan);
    }
    // What a filter leaves out a JointSource would score.
    if (!is_filtered && (by_words || every)) add_joint(inputs, every, plan);
    const double most = most_of(plan.factors);
    for (const SourcePart& part : plan.topics) {
        if (part.is_beside()) plan.beside += most * part.spec.weight * part.bound;
    }
    plan.source->expect_beside(plan.beside / most);
    add_finding(request, plan);
    return query_around(*plan.source, request, plan);
}

// Also makes plan.lexical what explains the lexical rankers.
Query SearchPlanner::plain_query(const SearchRequest& request, SearchPlan& plan) const {
    const bool is_fused = dynamic_cast<const FusedWeight*>(&weight()) != nullptr;
    plan.run.path =
        fmt::format("one pass over the postings ({})", is_fused ? "FusedWeight" : weight().name());
    Query query = plan.lexical;
    if (!plan.topics.empty()) {
        // Filters and exclusions hold for what only a vector finds, too.
        const Query& whole = plan.parsed.query;
        const Query text = scored_part(whole);
        const SearchSettings::Candidates wanted = candidates_for(request);
        const bool lexical = has_weight(lexical_part(*plan.model));
        query =
            filtered(plan, with_scored_part(whole, SourceRanking::join(text, plan.topics, wanted,
                                                                       lexical, keeps_lengths_)));
        const std::string names = names_of_vectors(plan.topics);
        if (!names.empty()) {
            plan.run.path = lexical ? plan.run.path + ", and documents' vectors beside them ("
                                    : "documents' vectors beside the matching postings (";
            plan.run.path += names + ")";
        }
        plan.run.path += with_values_and_places(plan.topics);
        if (wanted != SearchSettings::Candidates::kWords) {
            const Query all(Query::OP_AND_MAYBE, Query(std::string()), text);
            plan.lexical = filtered(plan, with_scored_part(whole, all));
        }
    }
    plan.check_at_least = safe_check(database_, query, request.check_at_least);
    const auto repair = keeps_lengths_ ? repaired_query : keep_phrases_apart;
    plan.lexical = repair(plan.lexical);
    query = repair(query);
    return within_time(query, plan.limit);
}

std::unique_ptr<Xapian::Weight> SearchPlanner::weight_for(const SearchPlan& plan) const {
    if (plan.run.pruned) return std::make_unique<Xapian::CoordWeight>();
    if (!plan.parsed.scored) return std::make_unique<Xapian::BoolWeight>();
    if (plan.weighting) return std::make_unique<FusedWeight>(served_by_postings(*plan.model));
    return std::unique_ptr<Xapian::Weight>(weight().clone());
}

}  // namespace braid
