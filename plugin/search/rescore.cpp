// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/rescore.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/eval/measure.h"
#include "braid/core/model/model_function.h"
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

}  // namespace braid
