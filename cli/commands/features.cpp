// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>

#include <fmt/format.h>

#include "braid/cli/options/command.h"
#include "braid/cli/options/judged_check.h"
#include "braid/cli/options/pool_input.h"
#include "braid/cli/options/query_input.h"
#include "braid/cli/options/search_setup.h"
#include "braid/cli/output/output.h"
#include "braid/core/eval/measure.h"
#include "braid/error.h"
#include "braid/indexer/formats/letor_data.h"
#include "braid/progress.h"

namespace braid::cli {
namespace {

constexpr const char* kFeaturesFooter = R"(
Prints a row for each document of a query's pool: grade, qid:QUERY, each ranker's unweighted score as
in a search, and "# docid = NAME". The first line names the rankers. If one counts ages, the second line
says from when: "# now = SECONDS". Unjudged documents have grade 0. Queries are read as by `braid run`.

The pool takes the top of each ranker's own list in turn, for rankers with a weight above 0. Every
ranker of the model has a column.

Examples:
  braid features --db med --queries MED.QRY --qrels MED.REL --model standard > med.letor
  braid features --db med --queries MED.QRY --qrels MED.REL --pool all --candidates all | gzip > all.gz
  braid features --db mail --queries log.txt --pool 200 --pool-from model --threads 4 > unjudged.letor)";

struct FeaturesCommand {
    SearchSetup setup;
    QueryInput queries;
    QueryExtras extras;
    JudgementInput judgements;
    PoolInput pool;
    std::size_t threads = 0;
};

// What a file of rows can't say, or nobody may have meant.
struct Counts {
    std::size_t rows = 0;
    std::size_t empty = 0;           ///< Queries without a document.
    std::size_t missed = 0;          ///< Relevant documents outside the pools,
    std::size_t missed_queries = 0;  ///< and their queries.
};

void add_query(Counts& counts, const TrainingSet& rows) {
    counts.rows += rows.documents.size();
    if (rows.documents.empty()) ++counts.empty;
    std::size_t missed = 0;
    for (const Grade grade : rows.unpooled[0]) missed += grade > 0 ? 1 : 0;
    counts.missed += missed;
    counts.missed_queries += missed > 0 ? 1 : 0;
}

void print_rows(const TrainingSet& rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const Grade grade = rows.grades[i] == kUnjudged ? 0 : rows.grades[i];
        append_letor_row(text, grade, rows.queries[0], rows.row(i), rows.documents[i]);
    }
    print_data(text);
}

std::string time_line(const FusionModel& model, double now) {
    return counts_ages(model) ? fmt::format("# now = {:.0f}\n", now) : "";
}

void note_counts(const Counts& counts, std::size_t queries, const Session& session) {
    if (counts.empty > 0) {
        session.note(
            fmt::format("{} of {} queries found nothing and have no rows", counts.empty, queries));
    }
    if (counts.missed > 0) {
        session.note(fmt::format(
            "{} relevant documents of {} queries are in no pool; measures over this file miss them",
            counts.missed, counts.missed_queries));
    }
    session.note(fmt::format("{} documents of {} queries", counts.rows, queries - counts.empty));
}

int write_features(const FeaturesCommand& command, Session& session) {
    const Settings settings = settings_of(command.setup, session);
    FeatureOptions options;
    options.pool = pool_options(command.pool);
    options.tables = std::make_shared<VectorTables>(session.limits.memory / 2);
    const SearchPlace place = find_place(command.setup, settings, session);
    FusionModel model = fusion_model_of(command.setup.model, settings, place);
    if (model.provenance.topic_models.empty()) {
        model.provenance.topic_models = topic_models_of(model, place);
    }
    std::optional<Judgements> judgements;
    if (!command.judgements.paths.empty()) {
        judgements = read_judgements(command.judgements, session);
    }
    const Judgements* judged = judgements ? &*judgements : nullptr;
    const std::vector<TrainingQuery> queries = training_queries(
        command.queries, command.extras, model, judged, command.judgements.name(), session);
    options.search = place.options;
    options.search.vectors = options.tables;
    const ExtractorFactory make = [&] {
        return std::make_unique<FeatureExtractor>(place.paths, model, options);
    };
    std::vector<std::string> labels;
    for (const RankerSpec& spec : model.rankers) labels.push_back(spec.label());
    const std::string names = letor_names_line(labels);
    Counts counts;
    std::optional<JudgedCheck> check;
    if (judged != nullptr) check.emplace(*judged);
    const auto take = [&](const TrainingSet& rows) {
        // After the first query nothing is wrong with the model or the database.
        if (counts.rows == 0 && !rows.documents.empty()) {
            print_data(names + time_line(model, queries.front().inputs.now));
        }
        print_rows(rows);
        add_query(counts, rows);
        if (check) {
            check->add(rows.queries[0], {rows.documents.begin(), rows.documents.end()},
                       rows.scores);
        }
    };
    const auto executor = make_executor(command.threads);
    extract_features(queries, judged, make, *executor, take, session.progress());
    if (check) check->warn(command.queries.name(), command.judgements.name(), session.warnings());
    note_counts(counts, queries.size(), session);
    return kDone;
}

}  // namespace

void add_features(CLI::App& app, Session& session) {
    auto options = std::make_shared<FeaturesCommand>();
    CLI::App* command = app.add_subcommand(
        "features", "Print every ranker's scores of the candidates as a LETOR file");
    command->footer(kFeaturesFooter);
    add_search_setup(*command, options->setup);
    add_limits(*command, session, {"words", "line", "dimensions", "memory"});
    add_query_input(*command, options->queries);
    add_query_extras(*command, options->extras);
    add_pool_input(*command, options->pool, add_judgement_input(*command, options->judgements));
    add_id_prefix(*command, options->queries.prefixes, kPrefixHelp);
    add_value(*command, "--threads", options->threads, "N", "Number of threads [one per core]")
        ->check(CLI::Range(0, kMostThreads));
    add_message_flags(*command, session);
    set_action(*command, session, options, write_features, [command](FeaturesCommand& given) {
        check_nothing_empty(*command);
        given.judgements.prefixes = given.queries.prefixes;
        check_query_files(given.queries, given.judgements);
        try {
            pool_options(given.pool);
        } catch (const Error& error) {
            throw CLI::ValidationError(error.what());
        }
    });
}

}  // namespace braid::cli
