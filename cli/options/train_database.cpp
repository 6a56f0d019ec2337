// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <fmt/format.h>

#include "braid/cli/options/judged_check.h"
#include "braid/cli/options/train_setup.h"
#include "braid/config.h"
#include "braid/core/learn/learner_checks.h"
#include "braid/core/lexical/field_weights.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/training/feature_extractor.h"
#include "braid/plugin/training/references.h"
#include "braid/training_set.h"

namespace braid::cli {
namespace {

std::optional<Judgements> judgements_of(const TrainCommand& command, Session& session) {
    if (!command.judgements.paths.empty()) return read_judgements(command.judgements, session);
    if (command.clicks.empty()) return std::nullopt;
    if (command.batch == nullptr)
        return read_clicks(command.clicks, click_options(command, session));
    Judgements copy;
    for (const QueryJudgements& query : command.batch->queries()) {
        for (const Judgement& one : query.all()) copy.add(query.query(), one.document, one.grade);
    }
    return copy;
}

// The preset that training starts from where nothing else ranks, with the rankers whose topic
// models the database has.
FusionModel standard_start(const OpenedDatabases& opened, const Session& session) {
    const std::vector<TopicModelIdentity> there =
        load_topic_catalogue(opened.sidecars.empty() ? opened.database : opened.sidecars.front());
    FusionModel model = load_settings(kStandardPreset).model;
    std::string missing;
    std::erase_if(model.rankers, [&](const RankerSpec& spec) {
        const std::string topics = topic_model_of(spec);
        const bool is_there = topics.empty() || std::any_of(there.begin(), there.end(),
                                                            [&](const TopicModelIdentity& one) {
                                                                return one.name == topics;
                                                            });
        if (!is_there) missing += (missing.empty() ? "" : ", ") + spec.label();
        return !is_there;
    });
    session.note(fmt::format("learning starts from the preset {}{}", kStandardPreset,
                             missing.empty() ? ""
                                             : " without " + missing +
                                                   ", whose topic models the database lacks "
                                                   "(braid adopt)"));
    return model;
}

std::optional<FusionModel> installed_model(const SearchPlace& place) {
    return read_databases(place.paths, "attempts to read its model",
                          [](const OpenedDatabases& opened) {
                              return load_fusion_model(opened.database, opened.sidecars);
                          });
}

FusionModel starting_model(const TrainCommand& command, const Settings& settings,
                           const SearchPlace& place, const Session& session) {
    if (!command.continued.empty()) return load_model(command.continued);
    if (!command.setup.model.empty() || settings.model != FusionModel{}) {
        return fusion_model_of(command.setup.model, settings, place);
    }
    return read_databases(place.paths, "attempts to read its model",
                          [&](const OpenedDatabases& opened) {
                              const auto own = load_fusion_model(opened.database, opened.sidecars);
                              return own ? *own : standard_start(opened, session);
                          });
}

// The model's weights, where they are weights of raw scores: of one that takes two passes those of
// the first.
std::vector<double> anchor_of(const FusionModel& start) {
    const FusionModel model = one_pass_form(start).value_or(start);
    std::vector<double> weights;
    if (model.normaliser != Normalisation{} || model.function != FunctionForm{}) return weights;
    for (const RankerSpec& spec : model.rankers) weights.push_back(spec.weight);
    return weights;
}

// The model whose rankers are to be weighed. What it did with their scores doesn't count.
FusionModel rankers_of(FusionModel model) {
    model.normaliser = {};
    model.function = {};
    require_database_model(model);
    return model;
}

// bm25 with other k1 and b, or bm25f with other weights of its fields.
std::vector<RankerSpec> other_bm25(const RankerSpec& first) {
    std::vector<RankerSpec> others;
    if (first.ranker == "bm25") {
        for (RankerSpec variant : bm25_grid()) {
            for (const auto& [name, value] : first.parameters) {
                variant.parameters.emplace(name, value);
            }
            others.push_back(std::move(variant));
        }
        return others;
    }
    for (const std::string& weights : field_weights_to_try(first.field)) {
        RankerSpec variant = first;
        variant.name = "bm25f of " + weights;
        variant.field = weights;
        variant.weight = 0;
        others.push_back(std::move(variant));
    }
    return others;
}

// Adds them to the rankers that are scored.
RankerVariants add_bm25_variants(FusionModel& model) {
    const auto bm25 =
        std::find_if(model.rankers.begin(), model.rankers.end(), [](const RankerSpec& spec) {
            return spec.ranker == "bm25f" || (spec.ranker == "bm25" && spec.field.empty());
        });
    if (bm25 == model.rankers.end()) {
        throw InvalidArgument(
            "--tune-bm25: the rankers to weigh have no bm25f, and no bm25 of the whole text");
    }
    RankerVariants variants{.ranker = static_cast<std::size_t>(bm25 - model.rankers.begin()),
                            .first = model.rankers.size()};
    const std::vector<RankerSpec> others = other_bm25(*bm25);
    model.rankers.insert(model.rankers.end(), others.begin(), others.end());
    return variants;
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
    QuerySource source{command.queries.name(),
                       command.clicks.empty() ? command.judgements.name() : command.clicks,
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
    queries.paths = {files.queries};
    JudgementInput judgements = command.judgements;
    judgements.paths = {files.judgements};
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

namespace {

// Whether documents that a log of clicks never showed are left out: they may be relevant. Scores
// must mean the same without them, which those of one pass do.
bool learns_from_shown(const TrainCommand& command) {
    if (command.clicks.empty()) return false;
    const LearnerInfo& info = learners().find(command.job.learner);
    const ChoiceMap choices = resolve_options(info, command.job.options).choices;
    return why_second_pass(info, choices, command.job.normaliser).empty();
}

// What the result has to beat, where it is measured on queries that it wasn't learned from.
void measure_what_there_is(const TrainCommand& command, const SearchPlace& place,
                           const FeatureOptions& options, const QuerySource& training,
                           const std::optional<QuerySource>& test, TrainInput& input,
                           Executor& executor, Session& session) {
    if (!command.measures_held_out() || !training.judgements) return;
    const ReferenceModels models = measurable(installed_model(place), training.queries);
    const auto measured = [&](const QuerySource& source, bool shown_only) {
        return measure_references(place.paths, models, source.queries, *source.judgements, options,
                                  command.job, shown_only, executor, session.progress());
    };
    input.unmeasured = models.unmeasured;
    input.references = measured(training, learns_from_shown(command));
    if (test) input.test_references = measured(*test, false);
}

}  // namespace

TrainInput read_database(const TrainCommand& command, Executor& executor, Session& session) {
    const Settings settings = settings_of(command.setup, session);
    const SearchPlace place = find_place(command.setup, settings, session);
    const FusionModel start = starting_model(command, settings, place, session);
    FusionModel model = rankers_of(start);
    const std::vector<TopicModelIdentity> topic_models = topic_models_of(model, place);
    std::optional<RankerVariants> variants;
    if (command.tune_bm25) variants = add_bm25_variants(model);
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
    input.anchor = anchor_of(start);
    input.candidates = place.options.search.candidates.value_or(start.candidates);
    input.topic_models = topic_models;
    input.variants = variants;
    input.train = scored(training);
    if (learns_from_shown(command)) {
        input.train = shown_part(std::move(input.train), command.job.options.judging.relevant_from);
    }
    if (validation) input.validation = scored(*validation);
    if (test) input.test = scored(*test);
    measure_what_there_is(command, place, options, training, test, input, executor, session);
    if (counts_ages(model)) input.now = training.queries.front().inputs.now;
    return input;
}

}  // namespace braid::cli
