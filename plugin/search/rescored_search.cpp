// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/rescored_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/eval/measure.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"

namespace braid {
namespace {

void check_first(std::span<const FirstPassDocument> first) {
    for (std::size_t i = 1; i < first.size(); ++i) {
        if (first[i].score <= first[i - 1].score) continue;
        throw InvalidArgument(fmt::format(
            "rescore: place {} of the first pass has the score {}, more than the place before, {}",
            i, first[i].score, first[i - 1].score));
    }
}

void check_scores(const PoolFusion& fusion, std::span<const double> scores) {
    for (const double score : scores) {
        if (std::isfinite(score)) continue;
        throw InvalidArgument(
            fmt::format("rescore: {} gave a document the score {}", fusion.name, score));
    }
}

using Entry = RescoredList::Entry;

// Entries of the window, in the first pass's order, with their rows: by docid, as PoolScorer wants
// them.
std::vector<Entry> window_of(std::span<const FirstPassDocument> first,
                             std::vector<Xapian::docid>& documents) {
    std::vector<std::size_t> order(first.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return first[left].docid < first[right].docid;
    });
    std::vector<Entry> entries(first.size());
    for (std::size_t row = 0; row < order.size(); ++row) {
        entries[order[row]] = {first[order[row]].docid, 0, order[row], row};
        documents.push_back(first[order[row]].docid);
    }
    return entries;
}

}  // namespace

PoolFusion function_fusion(const Normalisation& normaliser, const RankingFunction& function) {
    const NormaliserInfo& info = normalisers().find(normaliser.normaliser);
    resolve_parameters(info.name, info.parameters, normaliser.parameters);
    PoolFusion fusion;
    fusion.name = in_words(function);
    if (info.name != "none") fusion.name = info.name + ", then " + fusion.name;
    struct Kept {
        explicit Kept(RankingFunction given) : function(std::move(given)), prepared(function) {}
        Kept(const Kept&) = delete;
        Kept& operator=(const Kept&) = delete;
        RankingFunction function;
        PreparedFunction prepared;
    };
    fusion.fuse = [normaliser, kept = std::make_shared<const Kept>(function)](
                      TrainingSet& pool, std::span<double> scores) {
        normalise(pool, normaliser);
        kept->prepared.score(pool, 0, scores);
    };
    return fusion;
}

PoolFusion model_fusion(const FusionModel& model) {
    validate(model);
    if (weighs_by_query(model)) {
        throw ModelMismatch(
            "the model's weights follow from the query; QueryWeights makes the query's own model "
            "of it, whose function this takes");
    }
    return function_fusion(model.normaliser, model_function(model));
}

RescoredList rescore(PoolScorer& scorer, const PoolFusion& fusion, const Xapian::Query& query,
                     std::span<const FirstPassDocument> first, std::size_t window,
                     const QueryInputs& inputs) {
    const auto start = std::chrono::steady_clock::now();
    check_first(first);
    const auto head = first.first(std::min(window, first.size()));
    RescoredList list;
    if (head.empty()) return list;
    std::vector<Xapian::docid> documents;
    list.entries = window_of(head, documents);
    list.scores = scorer.score(query, documents, inputs);
    list.pool = list.scores.rows;
    std::vector<double> scores(documents.size());
    fusion.fuse(list.pool, scores);
    check_scores(fusion, scores);
    for (Entry& entry : list.entries) entry.score = scores[entry.row];
    std::stable_sort(
        list.entries.begin(), list.entries.end(),
        [](const Entry& left, const Entry& right) { return left.score > right.score; });
    const double least = list.entries.back().score;
    for (std::size_t i = head.size(); i < first.size(); ++i) {
        const double below = head.back().score - first[i].score;
        list.entries.push_back({first[i].docid, least - below, i, RescoredList::kNoRow});
    }
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    list.milliseconds = time.count();
    return list;
}

namespace {

// Whether what it gives depends on a vector or the record of the document.
bool reads_values(const RankerSpec& spec) {
    return !topic_model_of(spec).empty() || needs_record(spec);
}

constexpr char kDamaged[] =
    "a vector or the record of the document is damaged and counts as missing; `braid check` says "
    "which";

// The place of a row in a ranker's list.
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
    products.reserve(documents.size());
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
                ranker.normalised = parts.added[at];  // The height of a step.
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
