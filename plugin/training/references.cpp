// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/references.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/plugin/training/feature_extractor.h"
#include "braid/training_set.h"

namespace braid {
namespace {

constexpr std::array kTriedK1 = {0.4, 0.8, 1.2, 1.6, 2.0};
constexpr std::array kTriedB = {0.1, 0.3, 0.5, 0.7, 0.9};

RankingFunction ranker_alone(std::size_t width, std::size_t ranker) {
    std::vector<double> weights(width, 0);
    weights[ranker] = 1;
    return LinearFunction{std::move(weights)};
}

// Values of `functions` by query, each query on the best documents of the model's own list.
std::vector<std::vector<double>> values_of(
    const FusionModel& model, const std::vector<RankingFunction>& functions,
    const SearchPaths& paths, std::span<const TrainingQuery> queries, const Judgements& judgements,
    const FeatureOptions& options, const TrainingJob& job, bool shown_only, Executor& executor,
    const Progress& progress) {
    const ExtractorFactory make = [&] {
        return std::make_unique<FeatureExtractor>(paths, model, options);
    };
    std::vector<std::vector<double>> values(functions.size());
    const auto measure = [&](const TrainingSet& raw) {
        TrainingSet set = prepared_set(raw, {.normaliser = model.normaliser});
        if (shown_only) set = shown_part(std::move(set), job.options.judging.relevant_from);
        const TrainingMeasure measured(set, job.options.measure, job.options.judging);
        for (std::size_t f = 0; f < functions.size(); ++f) {
            values[f].push_back(measured.counts(0) ? measured.of_query(0, functions[f]) : 0);
        }
    };
    extract_features(queries, &judgements, make, executor, measure, progress);
    return values;
}

}  // namespace

std::vector<RankerSpec> bm25_grid() {
    std::vector<RankerSpec> grid;
    for (const double k1 : kTriedK1) {
        for (const double b : kTriedB) {
            grid.push_back({.ranker = "bm25",
                            .name = fmt::format("bm25 k1 {} b {}", k1, b),
                            .parameters = {{"b", b}, {"k1", k1}},
                            .weight = 0});
        }
    }
    return grid;
}

ReferenceModels measurable(std::optional<FusionModel> installed,
                           std::span<const TrainingQuery> queries) {
    if (!installed) return {};
    const RankingFunction function = model_function(*installed);
    if (!query_features_of(function).empty()) return {{}, "its weights follow from the query"};
    for (const RankerSpec& spec : installed->rankers) {
        if (family_of(spec) != RankerFamily::kVector) continue;
        const std::string name = topic_model_of(spec);
        const bool has_all = std::all_of(queries.begin(), queries.end(), [&](const auto& query) {
            return query.inputs.vectors.contains(name);
        });
        if (!has_all) return {{}, "it ranks by vectors '" + name + "', which the queries lack"};
    }
    return {std::move(installed), ""};
}

References measure_references(const SearchPaths& paths, const ReferenceModels& models,
                              std::span<const TrainingQuery> queries, const Judgements& judgements,
                              FeatureOptions options, const TrainingJob& job, bool shown_only,
                              Executor& executor, const Progress& progress) {
    options.query_features = {};
    options.pool.source = PoolOptions::Source::kModel;
    options.pool.add_judged = false;
    const auto values = [&](const FusionModel& model, const std::vector<RankingFunction>& functions,
                            bool places) {
        options.places = places;
        return values_of(model, functions, paths, queries, judgements, options, job, shown_only,
                         executor, progress);
    };
    References found;
    if (models.installed) {
        const RankingFunction function = model_function(*models.installed);
        found.fixed.push_back(
            {kCurrentRanking, values(*models.installed, {function}, needs_places(function))[0]});
    }
    FusionModel bm25;
    const std::vector<RankerSpec> grid = bm25_grid();
    bm25.rankers.insert(bm25.rankers.end(), grid.begin(), grid.end());
    std::vector<RankingFunction> each;
    for (std::size_t k = 0; k < bm25.rankers.size(); ++k) {
        each.push_back(ranker_alone(bm25.rankers.size(), k));
    }
    std::vector<std::vector<double>> alone = values(bm25, each, false);
    const bool is_current = !models.installed && models.unmeasured.empty();
    found.fixed.push_back({is_current ? "bm25 (current ranking)" : "bm25", std::move(alone[0])});
    for (std::size_t k = 0; k < grid.size(); ++k) {
        found.variants.push_back({grid[k].name, std::move(alone[k + 1])});
    }
    return found;
}

}  // namespace braid
