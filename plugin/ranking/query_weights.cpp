// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/query_weights.h"

#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "braid/core/model/model_function.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/plugin/ranking/feedback.h"
#include "braid/plugin/ranking/query_features.h"
#include "braid/plugin/ranking/source_ranking.h"

namespace braid {
namespace {

AttentionFunction function_of(const FusionModel& model) {
    if (weighs_by_query(model)) return std::get<AttentionFunction>(model_function(model));
    throw InvalidArgument(
        fmt::format("the model has weights that are the same for every query (its form is {})",
                    model.function.form));
}

// What fixed weights are put into.
FusionModel without_function(const FusionModel& model) {
    FusionModel result = model;
    result.function = {};
    result.provenance.learning = {};
    return result;
}

}  // namespace

std::string QueryWeighting::in_words() const {
    std::string words =
        fmt::format("; weights of this query{} in {:.2f} ms",
                    recurs ? ", for which they were learned,"
                           : fmt::format(" from {} of its features", features.size()),
                    milliseconds);
    if (first_pass > 0) words += fmt::format(", with a first pass over {} documents", first_pass);
    return words;
}

class QueryWeights::State {
  public:
    State(const Xapian::Database& the_database, const FusionModel& model,
          AttentionFunction the_function, PoolScorerOptions the_options)
        : database(the_database),
          options(std::move(the_options)),
          function(std::move(the_function)),
          fixed(without_function(model)),
          mean(mean_weights(function)),
          features(database, fixed, options, function.features) {}

    Xapian::Database database;
    PoolScorerOptions options;
    AttentionFunction function;
    FusionModel fixed;
    std::vector<double> mean;
    QueryFeatures features;
    std::optional<SourceRanking> topics;  ///< Once needed, of the database as it is open now.
};

bool QueryWeights::are_in(const FusionModel& model) { return weighs_by_query(model); }

QueryWeights::QueryWeights(const Xapian::Database& database, const FusionModel& model,
                           PoolScorerOptions options)
    : QueryWeights(database, model, function_of(model), std::move(options)) {}
QueryWeights::QueryWeights(const Xapian::Database& database, const FusionModel& model,
                           AttentionFunction function, PoolScorerOptions options)
    : state_(std::make_unique<State>(database, model, std::move(function), std::move(options))) {}
QueryWeights::~QueryWeights() = default;
QueryWeights::QueryWeights(QueryWeights&&) noexcept = default;
QueryWeights& QueryWeights::operator=(QueryWeights&&) noexcept = default;

const std::vector<std::string>& QueryWeights::feature_names() const {
    return state_->function.features;
}

void QueryWeights::reopened() {
    state_->features.reopened();
    state_->topics.reset();
}

void QueryWeights::stop_at(std::shared_ptr<TimeLimit> limit) {
    state_->features.stop_at(std::move(limit));
}

QueryWeighting QueryWeights::of(const Xapian::Query& query, const QueryInputs& inputs) {
    if (!state_->topics) {
        state_->topics.emplace(state_->database, state_->options.sidecars, state_->fixed,
                               state_->options.query_stemmer);
    }
    return of(query, inputs, *state_->topics);
}

QueryWeighting QueryWeights::of(const Xapian::Query& query, const QueryInputs& inputs,
                                SourceRanking& topics) {
    const Stopwatch watch;
    QueryWeighting result;
    const std::string key = state_->function.known.empty() ? "" : query_key(query);
    result.recurs = state_->function.known.contains(key);
    if (!result.recurs) {
        QueryFeatures::Values features = state_->features.of(query, inputs, topics);
        result.features = std::move(features.values);
        result.first_pass = features.first_pass;
    }
    result.weights = attention_weights(state_->function, key, result.features);
    result.mean_weights = state_->mean;
    result.model = state_->fixed;
    set_model_function(result.model, LinearFunction{result.weights});
    validate(result.model);
    result.milliseconds = watch.milliseconds();
    return result;
}

}  // namespace braid
