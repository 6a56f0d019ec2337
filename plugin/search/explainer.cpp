// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/explainer.h"

#include <set>

#include <fmt/format.h>

#include "braid/core/error.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/models/model_parts.h"
#include "braid/plugin/database/record_reader.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/sources/fused_weight.h"
#include "braid/plugin/sources/scored_part.h"
#include "braid/plugin/xapian_version.h"

namespace braid {
namespace {

using Query = Xapian::Query;

// Lets through the documents with one of some docids of their shard: a few more than wanted where
// there are several shards, and no decision is asked of the document's content.
class DocidDecider final : public Xapian::MatchDecider {
  public:
    DocidDecider(const std::vector<Xapian::docid>& docids, std::size_t shards) {
        for (const Xapian::docid docid : docids) {
            local_.insert((docid - 1) / static_cast<Xapian::docid>(shards) + 1);
        }
    }
    bool operator()(const Xapian::Document& document) const override {
        return local_.contains(document.get_docid());
    }

  private:
    std::set<Xapian::docid> local_;
};

double number(Xapian::termcount value) { return static_cast<double>(value); }

}  // namespace

Explainer::Explainer(const Xapian::Database& database, const FusionModel& model,
                     const Xapian::Query& query, Xapian::termcount length)
    : database_(database),
      model_(lexical_part(model)),
      query_(query),
      length_(length),
      collection_(collection_statistics(database)) {
    bool needs_norm = false;
    for (const RankerSpec& spec : model_.rankers) {
        rankers_.push_back(make_lexical_ranker(spec.ranker, spec.parameters));
        document_scorers_.push_back(
            rankers_.back()->document_scorer({collection_, number(length)}));
        needs_norm = needs_norm || rankers_.back()->needs_norm();
    }
    has_records_ = DatabaseRecords::are_in(database_);
    const Query bag = scored_part(query);
    if (needs_norm && why_no_bag_of_words(bag).empty()) {
        query_norm_ = read_bag_of_words(database_, bag).query_norm();
    }
}

std::vector<Explanation> Explainer::explain(const std::vector<Xapian::docid>& results) {
    std::vector<Explanation> explanations(results.size(), outline());
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (explain_by_terms(results[i], explanations[i])) continue;
        explanations.assign(results.size(), outline());
        explain_by_runs(results, explanations);
        break;
    }
    return explanations;
}

Explanation Explainer::outline() const {
    Explanation explanation;
    for (const RankerSpec& spec : model_.rankers) {
        const LexicalRankerInfo& info = lexical_rankers().find(spec.ranker);
        explanation.rankers.push_back({.label = spec.label(),
                                       .ranker = spec.ranker,
                                       .formula = info.formula,
                                       .weight = spec.weight});
    }
    return explanation;
}

// Adds the terms that score in a document to `leaves`. `surely` says that the whole query could
// not match if this part of it didn't, so that the document being a result settles it.
Explainer::Outcome Explainer::collect(const Query& query, bool surely, const Occurrences& document,
                                      std::vector<Leaf>& leaves) const {
    switch (query.get_type()) {
        case Query::LEAF_TERM: {
            const std::string term = *query.get_terms_begin();
            if (!document.contains(term)) return Outcome::kDoesNot;
            leaves.emplace_back(term, query.get_length());
            return Outcome::kMatches;
        }
        case Query::LEAF_MATCH_ALL:
            return Outcome::kMatches;
        case Query::LEAF_MATCH_NOTHING:
            return Outcome::kDoesNot;
        case Query::OP_PHRASE:
        case Query::OP_NEAR:
            return surely ? collect_parts(query, true, document, leaves) : Outcome::kUnknown;
        case Query::OP_VALUE_RANGE:
        case Query::OP_VALUE_GE:
        case Query::OP_VALUE_LE:
            return surely ? Outcome::kMatches : Outcome::kUnknown;
        case Query::OP_FILTER:
        case Query::OP_AND_NOT:
            // What is filtered by or excluded adds nothing; where the document is a result for
            // this part's sake, it has passed.
            return surely ? collect(query.get_subquery(0), true, document, leaves)
                          : Outcome::kUnknown;
        case Query::OP_AND_MAYBE: {
            const Outcome first = collect(query.get_subquery(0), surely, document, leaves);
            if (first != Outcome::kMatches) return first;
            std::vector<Leaf> others;
            const Outcome second = collect(query.get_subquery(1), false, document, others);
            if (second == Outcome::kUnknown) return second;
            if (second == Outcome::kMatches) {
                leaves.insert(leaves.end(), others.begin(), others.end());
            }
            return Outcome::kMatches;
        }
        case Query::OP_AND:
        case Query::OP_OR:
            return collect_parts(query, surely && query.get_type() == Query::OP_AND, document,
                                 leaves);
        default:
            return Outcome::kUnknown;
    }
}

Explainer::Outcome Explainer::collect_parts(const Query& query, bool surely,
                                            const Occurrences& document,
                                            std::vector<Leaf>& leaves) const {
    std::vector<Leaf> found;
    std::size_t matching = 0;
    for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
        std::vector<Leaf> part;
        const Outcome outcome = collect(query.get_subquery(i), surely, document, part);
        if (outcome == Outcome::kUnknown) return outcome;
        if (outcome == Outcome::kDoesNot) continue;
        ++matching;
        found.insert(found.end(), part.begin(), part.end());
    }
    const std::size_t needed = query.get_type() == Query::OP_OR ? 1 : query.get_num_subqueries();
    if (matching < needed) return Outcome::kDoesNot;
    leaves.insert(leaves.end(), found.begin(), found.end());
    return Outcome::kMatches;
}

Explainer::Occurrences Explainer::occurrences_in(Xapian::docid docid) const {
    Occurrences occurrences;
    Xapian::TermIterator term = database_.termlist_begin(docid);
    const Xapian::TermIterator end = database_.termlist_end(docid);
    for (auto wanted = query_.get_unique_terms_begin(); wanted != query_.get_terms_end();
         ++wanted) {
        term.skip_to(*wanted);
        if (term == end) break;
        if (*term == *wanted) occurrences[*wanted] = term.get_wdf();
    }
    return occurrences;
}

// As PoolPostings::records has it.
DocumentStatistics Explainer::document_statistics(Xapian::docid docid) const {
    DocumentStatistics document;
    document.length = number(database_.get_doclength(docid));
    if (has_records_) {
        DatabaseRecords(database_).fill(docid, document);
    } else {
        document.unique_terms = number(database_.get_unique_terms(docid));
    }
    return document;
}

const Explainer::Scorers& Explainer::scorers(const Leaf& leaf) {
    const auto [found, is_new] = scorers_.try_emplace(leaf);
    if (is_new) {
        TermStatistics term =
            term_statistics(database_, collection_, leaf.first, number(leaf.second));
        term.query_norm = query_norm_;
        for (const auto& ranker : rankers_) found->second.push_back(ranker->term_scorer(term));
    }
    return found->second;
}

bool Explainer::explain_by_terms(Xapian::docid docid, Explanation& explanation) {
    const Occurrences occurrences = occurrences_in(docid);
    std::vector<Leaf> leaves;
    if (collect(query_, true, occurrences, leaves) != Outcome::kMatches) return false;
    DocumentStatistics document = document_statistics(docid);
    for (std::size_t i = 0; i < explanation.rankers.size(); ++i) {
        RankerExplanation& ranker = explanation.rankers[i];
        double value = 0;
        for (const Leaf& leaf : leaves) {
            document.occurrences = number(occurrences.at(leaf.first));
            const double part = scorers(leaf)[i]->score(document);
            ranker.terms.push_back({leaf.first, number(leaf.second), document.occurrences, part});
            value += part;
        }
        if (document_scorers_[i] != nullptr) {
            ranker.document_value = document_scorers_[i]->score(document);
            value += ranker.document_value;
        }
        ranker.value = value;
        ranker.contribution = ranker.weight * value;
    }
    std::vector<Leaf> all;
    Occurrences every;
    for (auto term = query_.get_unique_terms_begin(); term != query_.get_terms_end(); ++term) {
        every[*term] = 1;
    }
    if (collect(query_, true, every, all) == Outcome::kMatches) add_bounds(explanation, all);
    return true;
}

void Explainer::add_bounds(Explanation& explanation, const std::vector<Leaf>& leaves) {
    for (std::size_t i = 0; i < explanation.rankers.size(); ++i) {
        double bound = 0;
        BoundStatistics bounds;
        for (const Leaf& leaf : leaves) {
            bounds = bound_statistics(database_, leaf.first);
            bound += scorers(leaf)[i]->upper_bound(bounds);
        }
        if (document_scorers_[i] != nullptr && !leaves.empty()) {
            bound += document_scorers_[i]->upper_bound(bounds);
        }
        explanation.rankers[i].bound = bound;
    }
}

void Explainer::explain_by_runs(const std::vector<Xapian::docid>& results,
                                std::vector<Explanation>& explanations) const {
    const std::size_t shards = shard_count(database_);
    const DocidDecider decider(results, shards);
    for (std::size_t i = 0; i < model_.rankers.size(); ++i) {
        FusionModel alone;
        alone.rankers = {model_.rankers[i]};
        alone.rankers[0].weight = 1;
        std::map<Xapian::docid, double> values;
        std::string problem;
        try {
            Xapian::Enquire enquire(database_);
            enquire.set_weighting_scheme(FusedWeight(alone));
            enquire.set_query(query_, length_);
            const auto most = static_cast<Xapian::doccount>(results.size() * shards);
            const Xapian::MSet mset = enquire.get_mset(0, most, 0, nullptr, &decider);
            for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
                values[*hit] = hit.get_weight();
            }
        } catch (const Xapian::UnimplementedError& error) {  // A remote database.
            problem = "values of single rankers are not to be had: " + error.get_msg();
        } catch (const InvalidArgument& error) {  // A ranker of weight 0 that needs more.
            problem = error.what();
        }
        for (std::size_t j = 0; j < results.size(); ++j) {
            RankerExplanation& ranker = explanations[j].rankers[i];
            const auto found = values.find(results[j]);
            if (found != values.end()) {
                ranker.value = found->second;
                ranker.contribution = ranker.weight * found->second;
            } else if (explanations[j].note.empty()) {
                explanations[j].note = problem;
            }
        }
    }
}

}  // namespace braid
