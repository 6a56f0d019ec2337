// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/rescored_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"

namespace braid {
namespace {

// Whether what it gives depends on a vector or the record of the document.
bool reads_values(const RankerSpec& spec) {
    return !topic_model_of(spec).empty() || needs_record(spec);
}

constexpr char kDamaged[] =
    "a vector or the record of the document is damaged and counts as missing; `braid check` says "
    "which";

// Of a row in a ranker's list.
double place_of(const TrainingSet& pool, std::size_t row, std::size_t ranker) {
    const double own = pool.row(row)[ranker];
    double above = 0;
    double level = 0;
    for (std::size_t i = 0; i < pool.rows(); ++i) {
        const double other = pool.row(i)[ranker];
        if (other > own) ++above;
        if (other == own) ++level;
    }
    return above + (level + 1) / 2;
}

}  // namespace

RescoredSearch::RescoredSearch(const Xapian::Database& database, const FusionModel& model,
                               PoolScorerOptions options)
    : database_(database),
      model_(without_factors(model)),
      options_(std::move(options)),
      function_(model_function(model_)),
      fusion_(function_fusion(model.normaliser, function_)) {
    validate(model);
    factors_model_ = model;
    std::erase_if(factors_model_.rankers, [](const RankerSpec& spec) { return !is_factor(spec); });
    factors_.emplace(database_, options_.sidecars, factors_model_, options_.query_stemmer);
    if (weighs_by_query(model)) {
        weights_.emplace(database_, model_, std::get<AttentionFunction>(function_), options_);
    }
    options_.places = needs_places(function_);
    // So that what is wrong shows before the first search.
    scorer_.emplace(database_, model_, options_);
}

FusionModel RescoredSearch::first_pass() const {
    FusionModel first{
        .rankers = {}, .candidates = model_.candidates, .provenance = model_.provenance};
    const std::vector<double> weights = first_pass_weights(model_, function_);
    for (std::size_t k = 0; k < weights.size(); ++k) {
        RankerSpec spec = model_.rankers[k];
        spec.weight = weights[k];
        if (!(spec.weight > 0) || !why_not_served(Server::kPostings, spec).empty()) continue;
        first.rankers.push_back(std::move(spec));
    }
    if (first.rankers.empty()) first.rankers = FusionModel{}.rankers;
    return first;
}

RescoredList RescoredSearch::run(const Xapian::Query& text, const Xapian::MSet& found,
                                 std::size_t window, const QueryInputs& inputs,
                                 const std::shared_ptr<TimeLimit>& limit) {
    std::vector<FirstPassDocument> first;
    for (auto hit = found.begin(); hit != found.end(); ++hit) {
        first.push_back({*hit, hit.get_weight()});
    }
    if (!scorer_) scorer_.emplace(database_, model_, options_);
    weighting_.reset();
    scorer_->stop_at(limit);
    if (weights_) {
        weights_->stop_at(limit);
        weighting_ = weights_->of(text, inputs);
        function_ = LinearFunction{weighting_->weights};
        fusion_ = function_fusion(model_.normaliser, function_);
    }
    try {
        const std::vector<ScoreFactor>& factors = factors_->prepare_factors(inputs);
        if (factors.empty()) return rescore(*scorer_, fusion_, text, first, window, inputs);
        return rescore(*scorer_, multiplied(factors, first, window), text, first, window, inputs);
    } catch (const TimeIsOver&) {
        RescoredList list;
        list.stopped = true;
        for (std::size_t i = 0; i < first.size(); ++i) {
            list.entries.push_back({first[i].docid, first[i].score, i});
        }
        return list;
    }
}

// As `fusion_`, whose pool has the best `window` documents by docid.
PoolFusion RescoredSearch::multiplied(const std::vector<ScoreFactor>& factors,
                                      std::span<const FirstPassDocument> first,
                                      std::size_t window) const {
    std::vector<Xapian::docid> documents;
    for (const FirstPassDocument& document : first.first(std::min(window, first.size()))) {
        documents.push_back(document.docid);
    }
    std::sort(documents.begin(), documents.end());
    FactorReader reader(database_, factors);
    std::vector<double> products;
    for (const Xapian::docid docid : documents) products.push_back(reader.product(docid));
    PoolFusion fusion{fusion_.name, {}};
    fusion.fuse = [this, products](TrainingSet& pool, std::span<double> scores) {
        fusion_.fuse(pool, scores);
        for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = boosted(scores[i], products[i]);
    };
    return fusion;
}

// What each factor made of the score, in their order.
void RescoredSearch::explain_factors(const RescoredList::Entry& entry,
                                     Explanation& explanation) const {
    const std::vector<ScoreFactor>& factors = factors_->factors();
    FactorReader reader(database_, factors);
    double score = boosted(entry.score, 1 / reader.product(entry.docid));
    std::size_t at = 0;
    for (const RankerSpec& spec : factors_model_.rankers) {
        RankerExplanation ranker{.label = spec.label(),
                                 .ranker = spec.ranker,
                                 .formula = model_rankers().find(spec.ranker).formula,
                                 .weight = spec.weight};
        if (spec.weight > 0) {
            const ScoreFactor& factor = factors[at];
            ranker.value = reader.value(at++, entry.docid);
            ranker.bound = 1;
            const double times = factor.of(*ranker.value);
            ranker.contribution = boosted(score, times) - score;
            ranker.note = fmt::format("multiplies the score by {:.6g}", times);
            score += ranker.contribution;
        }
        explanation.rankers.push_back(std::move(ranker));
    }
}

Explanation RescoredSearch::explain(const RescoredList& list, const ScoreParts& parts,
                                    const RescoredList::Entry& entry) const {
    Explanation explanation;
    if (entry.row == RescoredList::kNoRow) {
        explanation.note =
            list.stopped ? "the time limit stopped the rescoring; the score is the first pass's"
                         : "the document is beyond the window of rescored documents and keeps the "
                           "order of the first pass";
        return explanation;
    }
    for (std::size_t k = 0; k < model_.rankers.size(); ++k) {
        const RankerSpec& spec = model_.rankers[k];
        // Steps count once; of votes and trees no ranker has a share of its own.
        const double unweighed = parts.added.empty() ? 0 : 1;
        const double weight = parts.weights.empty() ? unweighed : parts.weights[k];
        RankerExplanation ranker{.label = spec.label(),
                                 .ranker = spec.ranker,
                                 .formula = model_rankers().find(spec.ranker).formula,
                                 .weight = weight};
        const std::size_t at = entry.row * model_.rankers.size() + k;
        ranker.value = list.scores.rows.scores[at];
        if (std::isfinite(list.scores.rows.bounds[k])) ranker.bound = list.scores.rows.bounds[k];
        const bool is_absent = std::isnan(list.pool.scores[at]);
        if (model_.normaliser.normaliser != "none" && !is_absent) {
            ranker.normalised = list.pool.scores[at];
        }
        if (is_absent) {
            ranker.is_absent = true;
            ranker.note = "its list lacks the document";
            ranker.contribution = parts.added.empty() ? 0 : parts.added[at];
        } else if (parts.added.empty()) {
            ranker.is_together = true;
            ranker.note = "counts together with the others";
        } else {
            ranker.contribution = parts.added[at];
            if (goes_by_order(function_)) ranker.place = place_of(list.pool, entry.row, k);
            if (weighting_) ranker.mean_weight = weighting_->mean_weights[k];
            if (parts.weights.empty())
                ranker.normalised = parts.added[at];  // What a step rises to.
        }
        if (!is_absent && reads_values(spec) && list.scores.damaged.contains(entry.docid)) {
            ranker.note += (ranker.note.empty() ? "" : "; ") + std::string(kDamaged);
        }
        explanation.rankers.push_back(std::move(ranker));
    }
    if (!factors_model_.rankers.empty()) explain_factors(entry, explanation);
    if (parts.added.empty()) {
        explanation.note = fmt::format(
            "the model's function ({}) makes one score of all rankers' together, which has no part "
            "for each",
            model_.function.form);
    }
    return explanation;
}

std::string RescoredSearch::path(const RescoredList& list) const {
    if (list.stopped) {
        return "; the time limit stopped the rescoring, and scores are the first pass's";
    }
    const char* const multiplied = factors_->factors().empty() ? "" : ", multiplied";
    return fmt::format("; the best {} of it rescored ({}{}) in {:.2f} ms{}", list.pool.rows(),
                       fusion_.name, multiplied, list.milliseconds,
                       weighting_ ? weighting_->in_words() : "");
}

}  // namespace braid
