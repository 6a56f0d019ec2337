// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/cli/options/command.h"
#include "braid/cli/options/pool_input.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/options/query_vectors.h"
#include "braid/cli/options/search_setup.h"
#include "braid/cli/output/output.h"
#include "braid/config.h"
#include "braid/core/base/text.h"
#include "braid/core/model/model_function.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/indexer/formats/letor_reader.h"
#include "braid/indexer/formats/tree_models.h"
#include "braid/train.h"

namespace braid::cli {
namespace {

constexpr const char* kScoreFooter = R"(
Matches features by the names in the file's first comment line. If it has none, the model must name its
rankers by feature number. Prints scores in the order of the file's rows.

Examples:
  braid score --letor test.txt --model model.yaml > scores.txt
  braid features --db med --queries MED.QRY | braid score --letor - --model model.yaml)";

struct ScoreCommand {
    std::string letor;
    std::string model;
    std::vector<std::string> embeddings;
};

// Whether weights follow from what lists look like, which a file's rows say.
bool reads_lists(const RankingFunction& function) {
    const std::span<const std::string> features = query_features_of(function);
    const std::vector<std::string>& names = list_statistic_names();
    return std::any_of(features.begin(), features.end(), [&](const std::string& feature) {
        return std::find(names.begin(), names.end(), feature) != names.end();
    });
}

// Weights that follow from embeddings need them, and nothing else reads them.
void check_query_features(const RankingFunction& function, const TrainingSet& set,
                          const ScoreCommand& command) {
    const std::span<const std::string> features = query_features_of(function);
    for (const std::string& feature : features) {
        const std::vector<std::string>& given = set.query_feature_names;
        if (std::find(given.begin(), given.end(), feature) != given.end()) continue;
        throw InvalidArgument(
            fmt::format("{}: its weights follow from the query's feature {}, which a file of "
                        "features lacks; --query-embeddings [NAME=]FILE gives embeddings",
                        command.model, shown(feature)));
    }
    if (command.embeddings.empty() || !features.empty()) return;
    throw InvalidArgument(fmt::format(
        "--query-embeddings: the weights of {} follow from nothing of the query", command.model));
}

std::vector<double> scores_of(const RankingFunction& function, const TrainingSet& set) {
    std::vector<double> scores(set.rows());
    const PreparedFunction prepared(function);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        prepared.score(set, q, std::span(scores).subspan(set.query_begin[q], set.pool_size(q)));
    }
    return scores;
}

int score_file(const ScoreCommand& command, Session& session) {
    const FusionModel model = load_model(command.model);
    std::vector<std::string> names;
    for (const RankerSpec& spec : model.rankers) names.push_back(spec.label());
    LetorOptions reading;
    reading.warn = session.warnings();
    reading.progress = session.progress();
    reading.max_line = session.limits.line;
    const LetorData data = read_letor(command.letor, reading);
    TrainingSet set = training_set(data, names, command.letor);
    normalise(set, model.normaliser);
    const RankingFunction function = model_function(model);
    if (reads_lists(function)) add_list_statistics(set);
    const std::vector<std::string>& embeddings = command.embeddings;
    if (!embeddings.empty()) {
        QueryVectors::embeddings(embeddings, vector_reading(session)).add_to(set);
    }
    check_query_features(function, set, command);
    // Missing scores have been seen to: what is left is missing on purpose.
    if (model.normaliser.missing != MissingScore::kAbsent) validate(set);
    const std::vector<double> scores = scores_of(function, set);
    std::vector<double> in_order = scores;
    for (std::size_t i = 0; i < data.places.size(); ++i) in_order[data.places[i]] = scores[i];
    session.finish();
    std::string text;
    for (const double score : in_order) text += fmt::format("{}\n", score);
    print_data(text);
    return kDone;
}

}  // namespace

void add_score(CLI::App& app, Session& session) {
    const auto options = std::make_shared<ScoreCommand>();
    CLI::App* command =
        app.add_subcommand("score", "Score the rows of a LETOR file by a model, one score a line");
    command->footer(kScoreFooter);
    add_value(*command, "--letor", options->letor, "FILE", "LETOR file; - is standard input")
        ->required();
    add_value(*command, "--model", options->model, "MODEL", "Model file of `braid train`")
        ->required();
    add_query_embeddings(*command, options->embeddings);
    add_limits(*command, session, {"line", "dimensions"});
    add_message_flags(*command, session);
    set_action(*command, session, options, score_file,
               [command](const ScoreCommand&) { check_nothing_empty(*command); });
}

namespace {

constexpr const char* kConvertFooter = R"(
Reads a model of LightGBM (text) or XGBoost (JSON) and writes Braid's; with --to, reads trees that
Braid learned and writes that library's model. Features are matched by name. Without --model-rankers
the model is for `braid score`; with it, for searches by rankers with the features' names.
docs/guide/trees.md goes from an index to LightGBM and back.

Examples:
  braid convert lightgbm.txt --model-rankers standard --model trees.yaml
  braid convert xgboost.json --model trees.yaml && braid score --letor test.txt --model trees.yaml
  braid convert trees.yaml --to xgboost --output xgboost.json)";

struct ConvertCommand {
    std::string from;
    std::string model;
    std::string rankers;
    std::string to;
    std::string output;
};

// The trees' features as rankers of the model, which keeps the others for its first pass.
FusionModel with_rankers_of(const FusionModel& base, const TreeModel& trees) {
    std::vector<std::string> labels;
    for (const RankerSpec& spec : base.rankers) labels.push_back(spec.label());
    std::vector<bool> is_used(trees.features.size(), false);
    for (const TreeNode& node : trees.forest.nodes) {
        if (node.below != 0) is_used[node.ranker] = true;
    }
    ForestFunction forest = trees.forest;
    forest.rankers = labels.size();
    std::vector<std::uint32_t> place_of(trees.features.size(), 0);
    std::vector<std::string> missing;
    for (std::size_t k = 0; k < trees.features.size(); ++k) {
        const auto found = std::find(labels.begin(), labels.end(), trees.features[k]);
        place_of[k] = static_cast<std::uint32_t>(found - labels.begin());
        if (found == labels.end() && is_used[k]) missing.push_back(shown(trees.features[k]));
    }
    if (!missing.empty()) {
        throw ModelMismatch(fmt::format("trees read the features {}, which are no rankers of {}",
                                        fmt::join(missing, ", "), fmt::join(labels, ", ")));
    }
    for (TreeNode& node : forest.nodes) {
        if (node.below != 0) node.ranker = place_of[node.ranker];
    }
    FusionModel model = base;
    set_model_function(model, forest);
    for (std::size_t k = 0; k < labels.size(); ++k)
        model.rankers[k].weight = base.rankers[k].weight;
    model.normaliser = {};
    model.provenance.learner = {};
    return model;
}

int import_trees(const ConvertCommand& command, Session& session) {
    const TreeModel trees = read_tree_model(command.from);
    const FusionModel base = command.rankers.empty()
                                 ? FusionModel{.rankers = feature_rankers(trees.features)}
                                 : fusion_model_of(command.rankers, Settings{}, SearchPlace{});
    const FusionModel model = with_rankers_of(base, trees);
    validate(model);
    write_file(command.model, format_model(model));
    session.note(fmt::format("{} trees over {} features written to {}", trees.forest.roots.size(),
                             trees.features.size(), command.model));
    return kDone;
}

int export_trees(const ConvertCommand& command, Session& session) {
    const FusionModel model = load_model(command.from);
    const RankingFunction function = model_function(model);
    std::optional<ForestFunction> forest = as_trees(function);
    if (!forest) {
        throw ModelMismatch(
            fmt::format("{}: is {}, expected trees or steps", command.from, in_words(function)));
    }
    TreeModel trees{.features = {}, .forest = std::move(*forest)};
    for (const RankerSpec& spec : model.rankers) trees.features.push_back(spec.label());
    if (trees.forest.standardised || model.normaliser.normaliser != "none") {
        throw ModelMismatch(command.from +
                            ": its trees compare normalised scores, expected trees of scores as "
                            "they are (braid train --normalise none)");
    }
    write_file(command.output,
               command.to == "lightgbm" ? lightgbm_text(trees) : xgboost_json(trees));
    session.note(fmt::format("{} trees written to {}", trees.forest.roots.size(), command.output));
    return kDone;
}

int run_convert(const ConvertCommand& command, Session& session) {
    return command.to.empty() ? import_trees(command, session) : export_trees(command, session);
}

}  // namespace

void add_convert(CLI::App& app, Session& session) {
    const auto options = std::make_shared<ConvertCommand>();
    CLI::App* command = app.add_subcommand(
        "convert", "Read trees of LightGBM and XGBoost, and write Braid's for them");
    command->footer(kConvertFooter);
    command->add_option("FILE", options->from, "The model to read")->required();
    CLI::Option* model =
        add_value(*command, "--model", options->model, "FILE", "Model file to write");
    add_value(*command, "--model-rankers", options->rankers, "MODEL",
              "Rankers with the names of the features: a model file or a preset")
        ->needs(model);
    CLI::Option* to = command->add_option("--to", options->to, "Write for that library")
                          ->check(CLI::IsMember({"lightgbm", "xgboost"}))
                          ->excludes(model);
    CLI::Option* output =
        add_value(*command, "--output", options->output, "FILE", "File of that library")->needs(to);
    to->needs(output);
    command->add_flag("--quiet,-q", session.quiet, "Hide notes; show errors");
    set_action(*command, session, options, run_convert, [command](const ConvertCommand& given) {
        check_nothing_empty(*command);
        if (given.model.empty() && given.to.empty()) {
            throw CLI::ValidationError("found neither --model nor --to, expected one of them");
        }
    });
}

}  // namespace braid::cli
