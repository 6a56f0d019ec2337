// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <fmt/format.h>

#include "braid/cli/judged_check.h"
#include "braid/cli/train_setup.h"
#include "braid/config/model_yaml.h"
#include "braid/core/error.h"
#include "braid/core/learners/fitting/learner_checks.h"
#include "braid/core/models/model_parts.h"
#include "braid/core/models/searchable.h"
#include "braid/plugin/training/field_lengths.h"

namespace braid::cli {
namespace {

std::optional<Judgements> judgements_of(const TrainCommand& command, Session& session) {
    if (!command.judgements.path.empty()) return read_judgements(command.judgements, session);
    if (command.clicks.empty()) return std::nullopt;
    ClickOptions reading = command.click_reading;
    reading.warn = session.warnings();
    reading.max_line = session.limits.line;
    return read_clicks(command.clicks, reading);
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

// Queries to be scored and what is known of their documents.
struct QuerySource {
    std::string file;
    std::string judged_by;
    std::optional<Judgements> judgements = {};
    std::vector<TrainingQuery> queries = {};

    const Judgements* judged() const { return judgements ? &*judgements : nullptr; }
};

QuerySource training_source(const TrainCommand& command, const FusionModel& model,
                            Session& session) {
    QuerySource source{command.queries.path,
                       command.clicks.empty() ? command.judgements.path : command.clicks,
                       judgements_of(command, session)};
    source.queries = training_queries(command.queries, command.extras, model, source.judged(),
                                      source.judged_by, session);
    return source;
}

// Read as --queries and --qrels are.
std::optional<QuerySource> held_out_source(const TrainCommand& command, const FusionModel& model,
                                           const HeldOut& files, Session& session) {
    if (files.queries.empty()) return std::nullopt;
    QueryInput queries = command.queries;
    queries.path = files.queries;
    JudgementInput judgements = command.judgements;
    judgements.path = files.judgements;
    QuerySource source{files.queries, files.judgements, read_judgements(judgements, session)};
    source.queries = training_queries(queries, command.extras, model, source.judged(),
                                      files.judgements, session);
    return source;
}

void check_judged(const QuerySource& source, const TrainingSet& set, Session& session) {
    if (!source.judgements) return;
    JudgedCheck check(*source.judgements);
    for (std::size_t i = 0; i < set.queries.size(); ++i) {
        const auto begin = set.documents.begin() + static_cast<std::ptrdiff_t>(set.query_begin[i]);
        const auto end = begin + static_cast<std::ptrdiff_t>(set.pool_size(i));
        check.add(set.queries[i], {begin, end}, set.query_scores(i));
    }
    check.warn(source.file, source.judged_by, session.warnings());
}

}  // namespace

TrainInput read_database(const TrainCommand& command, Executor& executor, Session& session) {
    const Settings settings = settings_of(command.setup, session);
    const SearchPlace place = find_place(command.setup, settings, session);
    FusionModel model = rankers_of(command, settings, place);
    const std::vector<TopicModelIdentity> topic_models = topic_models_of(model, place);
    // Binds all threads to these: scores by topic models of two states don't belong together.
    if (command.continued.empty()) model.provenance.topic_models = topic_models;
    QuerySource training = training_source(command, model, session);
    auto validation = held_out_source(command, model, command.validation_set, session);
    auto test = held_out_source(command, model, command.test_set, session);
    FeatureOptions options;
    options.query_features =
        query_feature_groups(command.query_features, training.queries, session);
    if (validation) query_feature_groups(command.query_features, validation->queries, session);
    if (test) query_feature_groups(command.query_features, test->queries, session);
    options.pool = pool_options(command.pool);
    const LearnerInfo& info = learners().find(command.job.learner);
    options.places = needs_places(info, resolve_options(info, command.job.options).choices);
    options.tables = std::make_shared<VectorTables>(session.limits.memory / 2);
    options.search = place.options;
    options.search.vectors = options.tables;
    const ExtractorFactory make = [&] {
        return std::make_unique<FeatureExtractor>(place.paths, model, options);
    };
    const auto scored = [&](const QuerySource& source) {
        TrainingSet set =
            make_training_set(source.queries, source.judged(), make, executor, session.progress());
        check_judged(source, set, session);
        if (set.rows() > 0) return set;
        throw Error(fmt::format("{}: none of its {} queries found anything", source.file,
                                source.queries.size()));
    };
    TrainInput input;
    read_databases(place.paths, "attempts to read its statistics",
                   [&](const OpenedDatabases& opened) {
                       input.rankers = model.rankers;
                       keep_field_lengths(opened.database, input.rankers);
                   });
    input.topic_models = topic_models;
    input.train = scored(training);
    if (validation) input.validation = scored(*validation);
    if (test) input.test = scored(*test);
    if (counts_ages(model)) input.now = training.queries.front().inputs.now;
    return input;
}

}  // namespace braid::cli
