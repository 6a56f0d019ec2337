// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/cli/options/command.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/output/output.h"
#include "braid/config.h"
#include "braid/core/model/model_function.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/indexer/formats/letor_reader.h"

namespace braid::cli {
namespace {

constexpr const char* kFooter = R"(
Features are found by the names in the file's first comment line; if it names none, the model must
name its rankers by feature number. Scores are printed in the order of the file's rows.

Examples:
  braid score --letor test.txt --model model.yaml > scores.txt
  braid features --db med --queries MED.QRY | braid score --letor - --model model.yaml)";

struct ScoreCommand {
    std::string letor;
    std::string model;
};

// Whether weights follow from what lists look like, which a file's rows say.
bool reads_lists(const RankingFunction& function) {
    const std::span<const std::string> features = query_features_of(function);
    const std::vector<std::string>& names = list_statistic_names();
    return std::any_of(features.begin(), features.end(), [&](const std::string& feature) {
        return std::find(names.begin(), names.end(), feature) != names.end();
    });
}

std::vector<double> scores_of(const RankingFunction& function, const TrainingSet& set) {
    std::vector<double> scores(set.rows());
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        score_pool(function, set, q,
                   std::span(scores).subspan(set.query_begin[q], set.pool_size(q)));
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
    CLI::App* command = app.add_subcommand(
        "score", "Score the rows of a LETOR file by a model, one score per line");
    command->footer(kFooter);
    command->add_option("--letor", options->letor, "LETOR file; - is standard input")
        ->required()
        ->type_name("FILE");
    command->add_option("--model", options->model, "Model file of `braid train`")
        ->required()
        ->type_name("MODEL");
    add_limits(*command, session, {"line"});
    command->add_flag("--quiet,-q", session.quiet,
                      "Hide progress and notes; show warnings and errors");
    command->add_flag("--strict", session.strict, "Treat warnings as errors");
    command->callback([&session, options, command] {
        check_nothing_empty(*command);
        session.action = [options, &session] { return score_file(*options, session); };
    });
}

}  // namespace braid::cli
