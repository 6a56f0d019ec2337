// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <fmt/format.h>

#include "braid/cli/train_setup.h"
#include "braid/config/model_yaml.h"
#include "braid/core/error.h"
#include "braid/core/models/model_parts.h"
#include "braid/core/models/searchable.h"
#include "braid/plugin/store/topic_store.h"

namespace braid::cli {
namespace {

std::optional<Judgements> judgements_of(const TrainCommand& command, Session& session) {
    if (!command.judgements.path.empty()) return read_judgements(command.judgements, session);
    if (command.clicks.empty()) return std::nullopt;
    ClickOptions reading = command.click_reading;
    reading.warn = session.warnings();
    return read_clicks(command.clicks, reading);
}

// The database's topic models that the rankers use: the weights belong to these, not to those that
// a later adoption would learn.
std::vector<TopicModelIdentity> topic_models_of(const FusionModel& model,
                                                const SearchPlace& place) {
    const auto& sidecars = place.options.sidecars;
    std::vector<TopicModelIdentity> used;
    for (const TopicModelIdentity& identity :
         load_topic_catalogue(sidecars.empty() ? place.database : sidecars.front())) {
        const bool is_used = std::any_of(
            model.rankers.begin(), model.rankers.end(),
            [&](const RankerSpec& spec) { return topic_model_of(spec) == identity.name; });
        if (is_used) used.push_back(identity);
    }
    return used;
}

// The model whose rankers are to be weighed. What it did with their scores doesn't count.
FusionModel rankers_of(const TrainCommand& command, const Settings& settings,
                       const SearchPlace& place) {
    FusionModel model = command.continued.empty()
                            ? fusion_model_of(command.setup.model, settings, place)
                            : load_model(command.continued);
    model.normaliser = {};
    model.function = {};
    require_searchable(model);
    return model;
}

}  // namespace

TrainInput read_database(const TrainCommand& command, Executor& executor, Session& session) {
    const Settings settings = settings_of(command.setup);
    const SearchPlace place = open_place(command.setup, settings, session);
    const FusionModel model = rankers_of(command, settings, place);
    const std::optional<Judgements> judgements = judgements_of(command, session);
    const Judgements* judged = judgements ? &*judgements : nullptr;
    const std::string& judged_by =
        command.clicks.empty() ? command.judgements.path : command.clicks;
    std::vector<TrainingQuery> queries =
        training_queries(command.queries, command.extras, model, judged, judged_by, session);
    FeatureOptions options;
    options.query_features = query_feature_groups(command.query_features, queries);
    options.pool = pool_options(command.pool);
    options.tables = std::make_shared<VectorTables>();
    Session silent;  // What is to be noted about the database has been.
    silent.quiet = true;
    const ExtractorFactory make = [&] {
        const SearchPlace own = open_place(command.setup, settings, silent);
        FeatureOptions with = options;
        with.search = own.options;
        with.search.vectors = options.tables;
        return std::make_unique<FeatureExtractor>(own.database, model, with);
    };
    TrainInput input;
    input.train = make_training_set(queries, judged, make, executor, session.progress());
    input.rankers = model.rankers;
    input.topic_models = topic_models_of(model, place);
    if (counts_ages(model)) input.now = queries.front().inputs.now;
    if (input.train.rows() == 0) {
        throw Error(fmt::format("{}: none of its {} queries found anything", command.queries.path,
                                queries.size()));
    }
    return input;
}

}  // namespace braid::cli
